// SPDX-License-Identifier: Apache-2.0
//! Instructions that are rare: atomics, fences, cache blocks, CSRs, traps and their ends.

use super::bits::word;
use super::csr::environment;
use super::hart::{Privilege, status};
use super::instruction::{Instruction, Op::*};
use super::run::LoopExit;
use super::{Amo, CacheBlock, Class, Exception, Hart, Ordering, Port, Stop};

/// The exception of an instruction that is not there, not now, or not for this mode.
#[cold]
pub(super) fn illegal(i: Instruction) -> Stop {
    Stop::Trap(Exception { cause: 2, tval: i.bits() })
}

fn trap<T>(cause: u64) -> Result<T, LoopExit> {
    Err(Stop::Trap(Exception { cause, tval: 0 }).into())
}

/// Executes one; `next` is the address behind it.
#[inline(never)]
pub(super) fn execute<P: Port>(
    hart: &mut Hart,
    port: &mut P,
    i: Instruction,
    next: u64,
) -> Result<(), LoopExit> {
    match i.op {
        LrW | LrD | ScW | ScD | AmoW | AmoD => Ok(atomic(hart, port, i)?),
        Fence => {
            fence(hart, port, i)?;
            port.charge(Class::System);
            Ok(())
        }
        FenceI => {
            port.fence_i(hart)?;
            port.charge(Class::System);
            resume(hart, next)
        }
        Pause => {
            port.pause(hart);
            Ok(())
        }
        CboInval | CboClean | CboFlush => Ok(cache_block(hart, port, i)?),
        Ecall => trap(8 + hart.privilege as u64),
        Ebreak => trap(3),
        Mret if hart.privilege == Privilege::Machine => {
            port.charge(Class::System);
            hart.return_from_machine(port);
            Err(LoopExit::Resume)
        }
        Sret if supervises(hart, status::TSR) => {
            port.charge(Class::System);
            hart.return_from_supervisor(port);
            Err(LoopExit::Resume)
        }
        Wfi if supervises(hart, status::TW) => wait_for_interrupt(hart, port, next),
        SfenceVma if supervises(hart, status::TVM) => {
            let at = (i.rs1 & 31 != 0).then(|| hart.x[usize::from(i.rs1 & 31)]);
            let asid = (i.rs2 & 31 != 0).then(|| hart.x[usize::from(i.rs2 & 31)] as u16);
            port.sfence(hart, at, asid)?;
            port.charge(Class::System);
            resume(hart, next)
        }
        Csrrw | Csrrs | Csrrc | Csrrwi | Csrrsi | Csrrci => csr(hart, port, i, next),
        _ => Err(illegal(i).into()),
    }
}

/// Whether S-mode's instructions may be used, one of which M-mode may trap with a bit of `mstatus`.
fn supervises(hart: &Hart, trapped: u64) -> bool {
    match hart.privilege {
        Privilege::Machine => true,
        Privilege::Supervisor => hart.mstatus & trapped == 0,
        Privilege::User => false,
    }
}

fn resume(hart: &mut Hart, next: u64) -> Result<(), LoopExit> {
    hart.pc = next;
    Err(LoopExit::Resume)
}

fn wait_for_interrupt<P: Port>(hart: &mut Hart, port: &mut P, next: u64) -> Result<(), LoopExit> {
    port.charge(Class::System);
    if hart.wakes() {
        return Ok(());
    }
    hart.pc = next;
    hart.instret += 1;
    // Whether it says pause or not: the hart does.
    port.retire(hart);
    Err(LoopExit::Idle)
}

fn atomic<P: Port>(hart: &mut Hart, port: &mut P, i: Instruction) -> Result<(), Stop> {
    let bits = i.imm as u32;
    let order = Ordering { acquire: bits >> 26 & 1 != 0, release: bits >> 25 & 1 != 0 };
    let address = hart.x[usize::from(i.rs1 & 31)];
    let operand = hart.x[usize::from(i.rs2 & 31)];
    let operation = match bits >> 27 {
        0 => Amo::Add,
        1 => Amo::Swap,
        4 => Amo::Xor,
        8 => Amo::Or,
        12 => Amo::And,
        16 => Amo::Min,
        20 => Amo::Max,
        24 => Amo::MinUnsigned,
        _ => Amo::MaxUnsigned,
    };
    let result = match i.op {
        LrW => word(port.load_reserved::<4>(hart, address, order)?),
        LrD => port.load_reserved::<8>(hart, address, order)?,
        ScW => u64::from(!port.store_conditional::<4>(hart, address, operand, order)?),
        ScD => u64::from(!port.store_conditional::<8>(hart, address, operand, order)?),
        AmoW => word(port.atomic::<4>(hart, operation, address, operand, order)?),
        _ => port.atomic::<8>(hart, operation, address, operand, order)?,
    };
    hart.x[usize::from(i.rd & 63)] = result;
    Ok(())
}

fn fence<P: Port>(hart: &mut Hart, port: &mut P, i: Instruction) -> Result<(), Stop> {
    let bits = i.imm as u32;
    let mut sets = [(bits >> 24 & 15) as u8, (bits >> 20 & 15) as u8];
    let implied = match hart.privilege {
        Privilege::Machine => 0,
        Privilege::Supervisor => hart.menvcfg,
        Privilege::User => hart.menvcfg | hart.senvcfg,
    };
    if implied & environment::FIOM != 0 {
        // Device input implies memory reads, output implies writes.
        sets = sets.map(|set| set | set >> 2);
    }
    port.fence(hart, sets[0], sets[1])
}

fn cache_block<P: Port>(hart: &mut Hart, port: &mut P, i: Instruction) -> Result<(), Stop> {
    // What the modes above allow, all of them.
    let above: &[u64] = match hart.privilege {
        Privilege::Machine => &[],
        Privilege::Supervisor => &[hart.menvcfg],
        Privilege::User => &[hart.menvcfg, hart.senvcfg],
    };
    let invalidate = |configuration: &u64| configuration & environment::CBIE;
    let what = if i.op == CboInval {
        if above.iter().any(|configuration| invalidate(configuration) == 0) {
            return Err(illegal(i));
        }
        // Value 1 lets the instruction through as a flush.
        let flush = above.iter().any(|c| invalidate(c) == 1 << environment::CBIE_SHIFT);
        if flush { CacheBlock::Flush } else { CacheBlock::Invalidate }
    } else {
        if above.iter().any(|configuration| configuration & environment::CBCFE == 0) {
            return Err(illegal(i));
        }
        if i.op == CboClean { CacheBlock::Clean } else { CacheBlock::Flush }
    };
    let address = hart.x[usize::from(i.rs1 & 31)];
    port.cache_block(hart, what, address)
}

fn csr<P: Port>(hart: &mut Hart, port: &mut P, i: Instruction, next: u64) -> Result<(), LoopExit> {
    let csr = i.imm as u32 >> 20;
    let field = i.rs1 & 31;
    let immediate = matches!(i.op, Csrrwi | Csrrsi | Csrrci);
    let operand = if immediate { u64::from(field) } else { hart.x[usize::from(field)] };
    let write = matches!(i.op, Csrrw | Csrrwi) || field != 0;
    if !hart.csr_permitted(csr, write) {
        return Err(illegal(i).into());
    }
    let old = hart.read_csr(port, csr).ok_or_else(|| illegal(i))?;
    port.charge(Class::System);
    if !write {
        hart.x[usize::from(i.rd & 63)] = old;
        return after_csr(hart, next);
    }
    let modified = hart.csr_to_modify(csr, old);
    let value = match i.op {
        Csrrw | Csrrwi => operand,
        Csrrs | Csrrsi => modified | operand,
        _ => modified & !operand,
    };
    let effect = hart.write_csr(port, csr, value);
    hart.x[usize::from(i.rd & 63)] = old;
    if effect.timer {
        port.timer_changed(hart);
    }
    if effect.context {
        port.context_changed(hart);
        return resume(hart, next);
    }
    after_csr(hart, next)
}

/// An interrupt that the instruction enabled (or made: a counter was settled) comes at once.
fn after_csr(hart: &mut Hart, next: u64) -> Result<(), LoopExit> {
    if hart.interrupt().is_some() { resume(hart, next) } else { Ok(()) }
}
