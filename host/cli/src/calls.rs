// SPDX-License-Identifier: Apache-2.0
//! Which services the application's code may call on which objects, from the image: a walk through its instructions from each
//! function that the kernel calls, with the registers whose values are known. What the walk cannot follow is an error, so that
//! nothing is left out. docs/design/residency.md, "Requests within a core".

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use object::{Object, ObjectSection, SectionKind};
use takt_board::isa::{Instruction, Op, decode};

use crate::image::{Image, parse_elf};

/// The registers of the integer file; None: the value is not known.
type Registers = [Option<i64>; 32];

const RA: usize = 1;
const A0: usize = 10;
const ARGUMENTS: usize = 8;
/// What a call leaves unchanged: sp, gp, tp and s0 to s11.
const SAVED: [usize; 15] = [2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];
/// A function with known arguments, at most so many of them in one walk.
const CONTEXTS: usize = 4096;

/// An instruction on a cache block, but for its register and its kind: MISC-MEM, without a destination.
const CACHE_BLOCK: u32 = 0x200f;

/// Services that do not return.
const ENDS: [&str; 3] = ["takt_panic", "takt_system_shutdown", "takt_task_exit"];

/// A call of a service. `id`: its first argument, if it is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    pub service: String,
    pub id: Option<i64>,
    /// The function that calls it.
    pub caller: String,
    /// How often it is made at most when the kernel calls the function from which the walk begins. None: nothing limits that.
    pub times: Option<u64>,
}

/// The place of a call: the function that was entered, and the address of the instruction.
type Site = (u64, u64);

/// The code of an image.
pub struct Code {
    sections: Vec<(u64, Vec<u8>)>,
    names: HashMap<u64, String>,
}

impl Code {
    pub fn read(image: &Image) -> Result<Code, String> {
        let bytes = std::fs::read(&image.path).map_err(|error| error.to_string())?;
        let elf = parse_elf(&bytes)?;
        let mut sections = Vec::new();
        for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
            let code = section.data().map_err(|error| error.to_string())?;
            sections.push((section.address(), code.to_vec()));
        }
        let functions = image.functions.iter();
        Ok(Code { sections, names: functions.map(|it| (it.address, it.name.clone())).collect() })
    }

    /// The services that a function of the application may call, directly or by others, when the kernel calls it with this
    /// argument. The error says what could not be followed.
    pub fn calls(&self, function: &str, argument: Option<i64>) -> Result<Vec<Call>, String> {
        let found = self.names.iter().find(|(_, name)| *name == function);
        let (start, _) = found.ok_or_else(|| format!("the image has no function {function}"))?;
        let mut arguments = [None; ARGUMENTS];
        arguments[0] = argument;
        let mut walk = Walk {
            code: self,
            calls: BTreeMap::new(),
            entries: BTreeSet::new(),
            repeated: HashSet::new(),
            returning: HashSet::new(),
        };
        // Code behind a call of a function that does not return belongs to nobody. Bound: a round for each function.
        loop {
            let known = walk.returning.len();
            walk.all(*start, arguments).map_err(|why| {
                why.unwrap_or(format!("{function} has too many ways to be followed"))
            })?;
            if walk.returning.len() == known {
                return Ok(walk.counted(*start));
            }
        }
    }

    /// Whether any two halves of words in a row could be an instruction on a cache block.
    pub fn may_have_cache_block_instruction(&self) -> bool {
        let is_one = |word: u32| word & 0x7fff == CACHE_BLOCK && word >> 20 <= 4;
        self.words().any(|(_, word)| is_one(word))
    }

    /// Whether code beside the functions at these addresses could make an atomic operation other than LR and SC.
    pub fn may_have_atomic_beside(&self, known: &HashSet<u64>) -> bool {
        let mut starts: Vec<_> = self.names.keys().copied().collect();
        starts.sort_unstable();
        let ends = starts.iter().skip(1).copied().chain([u64::MAX]);
        starts.iter().zip(ends).filter(|(start, _)| !known.contains(start)).any(|(start, end)| {
            // Bound: the code's instructions, one after the other from the function's start.
            let mut at = *start;
            while let Some(it) = self.instruction(at).filter(|_| at < end) {
                if matches!(it.op, Op::AmoW | Op::AmoD) {
                    return true;
                }
                at += it.length();
            }
            false
        })
    }

    /// All that could be an instruction of four bytes, with its address: any two halves of words in a row.
    fn words(&self) -> impl Iterator<Item = (u64, u32)> {
        self.sections.iter().flat_map(|(base, code)| {
            let words = code.windows(4).zip(*base..).step_by(2);
            words.map(|(it, at)| (at, u32::from_le_bytes([it[0], it[1], it[2], it[3]])))
        })
    }

    fn instruction(&self, at: u64) -> Option<Instruction> {
        let inside = |(base, code): &&(u64, Vec<u8>)| {
            at.checked_sub(*base).is_some_and(|offset| offset < code.len() as u64)
        };
        let (base, code) = self.sections.iter().find(inside)?;
        let bytes = &code[(at - base) as usize..];
        let half =
            |at: usize| Some(u32::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
        let low = half(0)?;
        Some(decode(if low & 3 == 3 { low | half(2)? << 16 } else { low }))
    }

    /// The service at an address.
    fn service(&self, at: u64) -> Option<&str> {
        let name = self.names.get(&at)?;
        name.starts_with("takt_").then_some(&name[..])
    }
}

struct Walk<'a> {
    code: &'a Code,
    /// The calls of services: service, ID and caller, with the places of each.
    calls: BTreeMap<(String, Option<i64>, String), BTreeSet<Site>>,
    /// The calls of other functions, with the function that is called.
    entries: BTreeSet<(Site, u64)>,
    /// The places that a function may come to more than once.
    repeated: HashSet<Site>,
    /// The functions that have been seen to return.
    returning: HashSet<u64>,
}

/// Where the walk goes on behind an instruction.
enum Next {
    Ends,
    Returns,
    Goes(Vec<(u64, Registers)>),
    Calls { target: u64, back: u64 },
}

impl Walk<'_> {
    /// Walks through a function and all that it calls. The error None: these are too many.
    fn all(
        &mut self,
        start: u64,
        arguments: [Option<i64>; ARGUMENTS],
    ) -> Result<(), Option<String>> {
        let mut seen = HashSet::new();
        let mut waiting = vec![(start, arguments)];
        while let Some((start, arguments)) = waiting.pop() {
            if seen.insert((start, arguments)) {
                if seen.len() > CONTEXTS {
                    return Err(None);
                }
                self.function(start, arguments, &mut waiting).map_err(Some)?;
            }
        }
        Ok(())
    }

    /// Walks through one function, until the registers at each of its instructions hold for all ways to it.
    fn function(
        &mut self,
        start: u64,
        arguments: [Option<i64>; ARGUMENTS],
        waiting: &mut Vec<(u64, [Option<i64>; ARGUMENTS])>,
    ) -> Result<(), String> {
        let name = self.code.names.get(&start).cloned().unwrap_or_else(|| format!("{start:#x}"));
        let mut registers: Registers = [None; 32];
        registers[0] = Some(0);
        registers[A0..A0 + ARGUMENTS].copy_from_slice(&arguments);
        let mut known: HashMap<u64, Registers> = HashMap::new();
        let mut open = vec![(start, registers)];
        let mut ways_on: HashMap<u64, BTreeSet<u64>> = HashMap::new();
        // Bound: each instruction is visited again only when a register has become unknown.
        while let Some((at, now)) = open.pop() {
            let merged = known.get(&at).map_or(now, |before| both(before, &now));
            if known.insert(at, merged) == Some(merged) {
                continue;
            }
            let instruction = self.code.instruction(at);
            let instruction =
                instruction.ok_or_else(|| format!("{name} leaves the code at {at:#x}"))?;
            match next(at, &instruction, &merged).map_err(|why| format!("{name} {why}"))? {
                Next::Ends => {}
                Next::Returns => {
                    self.returning.insert(start);
                }
                Next::Goes(ways) => {
                    for (to, registers) in ways {
                        match self.code.service(to).filter(|_| to != start) {
                            // A call that comes last.
                            Some(service) => {
                                self.called((start, at), service, &registers, &name);
                                if !ENDS.contains(&service) {
                                    self.returning.insert(start);
                                }
                            }
                            None => {
                                ways_on.entry(at).or_default().insert(to);
                                open.push((to, registers));
                            }
                        }
                    }
                }
                Next::Calls { target, back } => {
                    let returns = match self.code.service(target) {
                        Some(service) => {
                            self.called((start, at), service, &merged, &name);
                            !ENDS.contains(&service)
                        }
                        None => {
                            let mut arguments = [None; ARGUMENTS];
                            arguments.copy_from_slice(&merged[A0..A0 + ARGUMENTS]);
                            waiting.push((target, arguments));
                            self.entries.insert(((start, at), target));
                            self.returning.contains(&target)
                        }
                    };
                    if returns {
                        let mut after: Registers = [None; 32];
                        after[0] = Some(0);
                        SAVED.iter().for_each(|saved| after[*saved] = merged[*saved]);
                        ways_on.entry(at).or_default().insert(back);
                        open.push((back, after));
                    }
                }
            }
        }
        let calls = self.calls.values().flatten().chain(self.entries.iter().map(|(site, _)| site));
        let own = calls.filter(|site| site.0 == start && comes_back(&ways_on, site.1));
        self.repeated = own.chain(&self.repeated).copied().collect();
        Ok(())
    }

    fn called(&mut self, site: Site, service: &str, registers: &Registers, caller: &str) {
        let (service, caller) = (service.to_string(), caller.to_string());
        // An ID has 32 bits; of a register's upper half nothing is known.
        let id = registers[A0].map(|id| i64::from(id as u32));
        self.calls.entry((service, id, caller)).or_default().insert(site);
    }

    /// The calls of services, each with the most often that it is made when the function at `start` is called once.
    fn counted(&self, start: u64) -> Vec<Call> {
        let mut entered = HashMap::new();
        let mut call = |((service, id, caller), sites): (&(String, Option<i64>, String), _)| {
            let sites: &BTreeSet<Site> = sites;
            let times = sites.iter().map(|site| self.times(start, *site, &mut entered));
            let times = times.sum();
            Call { service: service.clone(), id: *id, caller: caller.clone(), times }
        };
        self.calls.iter().map(&mut call).collect()
    }

    /// How often the walk may come to a place. Bound: each function is looked at once, as `entered` keeps what was found.
    fn times(
        &self,
        start: u64,
        site: Site,
        entered: &mut HashMap<u64, Option<u64>>,
    ) -> Option<u64> {
        if self.repeated.contains(&site) {
            return None;
        }
        let function = site.0;
        if let Some(times) = entered.get(&function) {
            return *times;
        }
        // A function that calls itself finds this.
        entered.insert(function, None);
        let from = self.entries.iter().filter(|(_, target)| *target == function);
        let from: Option<u64> = from.map(|(site, _)| self.times(start, *site, entered)).sum();
        let times = from?.saturating_add(u64::from(function == start));
        entered.insert(function, Some(times));
        Some(times)
    }
}

/// Whether a way leads from an instruction back to it.
fn comes_back(ways_on: &HashMap<u64, BTreeSet<u64>>, at: u64) -> bool {
    let mut seen = HashSet::new();
    let mut open = vec![at];
    while let Some(from) = open.pop() {
        for to in ways_on.get(&from).into_iter().flatten() {
            if *to == at {
                return true;
            }
            if seen.insert(*to) {
                open.push(*to);
            }
        }
    }
    false
}

/// What is known after either of two ways.
fn both(one: &Registers, other: &Registers) -> Registers {
    std::array::from_fn(|index| one[index].filter(|value| other[index] == Some(*value)))
}

fn next(at: u64, it: &Instruction, registers: &Registers) -> Result<Next, String> {
    let behind = at + it.length();
    let jump = at.wrapping_add(it.imm as i64 as u64);
    let (rd, rs1) = (usize::from(it.rd & 63), usize::from(it.rs1 & 31));
    match it.op {
        Op::Illegal | Op::Undecoded | Op::Ebreak => Ok(Next::Ends),
        Op::Mret | Op::Sret => Err(format!("returns from a trap at {at:#x}")),
        Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
            Ok(Next::Goes(vec![(behind, *registers), (jump, *registers)]))
        }
        Op::Jal if rd == RA => Ok(Next::Calls { target: jump, back: behind }),
        Op::Jal if rd >= 32 => Ok(Next::Goes(vec![(jump, *registers)])),
        Op::Jalr => {
            let target =
                registers[rs1].map(|base| base.wrapping_add(i64::from(it.imm)) as u64 & !1);
            match target {
                _ if rs1 == RA && rd >= 32 && it.imm == 0 && registers[RA].is_none() => {
                    Ok(Next::Returns)
                }
                Some(target) if rd == RA => Ok(Next::Calls { target, back: behind }),
                Some(target) if rd >= 32 => Ok(Next::Goes(vec![(target, *registers)])),
                Some(target) => Ok(Next::Goes(vec![(target, with(registers, rd, behind))])),
                _ => Err(format!("calls or jumps through a pointer at {at:#x}")),
            }
        }
        // The compiler's code that saves registers returns by another one than ra, which is known.
        Op::Jal => Ok(Next::Goes(vec![(jump, with(registers, rd, behind))])),
        _ => {
            let mut after = *registers;
            if (1..32).contains(&rd) && !writes_float(it.op) {
                after[rd] = result(at, it, registers);
            }
            Ok(Next::Goes(vec![(behind, after)]))
        }
    }
}

/// The registers with an address in one of them.
fn with(registers: &Registers, register: usize, address: u64) -> Registers {
    let mut after = *registers;
    after[register] = Some(address as i64);
    after
}

/// Whether the destination is a float's register.
fn writes_float(op: Op) -> bool {
    use Op::*;
    let to_integer = matches!(
        op,
        FeqS | FltS
            | FleS
            | FeqD
            | FltD
            | FleD
            | FclassS
            | FclassD
            | FmvXW
            | FmvXD
            | FcvtWS
            | FcvtWuS
            | FcvtLS
            | FcvtLuS
            | FcvtWD
            | FcvtWuD
            | FcvtLD
            | FcvtLuD
    );
    matches!(op, Flw | Fld) || op >= FmaddS && !to_integer
}

/// The value that an instruction puts into its register. What is not computed here is not known.
fn result(at: u64, it: &Instruction, registers: &Registers) -> Option<i64> {
    let (one, two) = (registers[usize::from(it.rs1 & 31)], registers[usize::from(it.rs2 & 31)]);
    let imm = i64::from(it.imm);
    let word = |value: i64| i64::from(value as i32);
    Some(match it.op {
        Op::Lui => imm,
        Op::Auipc => (at as i64).wrapping_add(imm),
        Op::Addi => one?.wrapping_add(imm),
        Op::Addiw => word(one?.wrapping_add(imm)),
        Op::Slli => one?.wrapping_shl(it.imm as u32 & 63),
        Op::Slliw => word(one?.wrapping_shl(it.imm as u32 & 31)),
        Op::Srli => ((one? as u64).wrapping_shr(it.imm as u32 & 63)) as i64,
        Op::Srai => one?.wrapping_shr(it.imm as u32 & 63),
        Op::Andi => one? & imm,
        Op::Ori => one? | imm,
        Op::Xori => one? ^ imm,
        Op::Add => one?.wrapping_add(two?),
        Op::Addw => word(one?.wrapping_add(two?)),
        Op::Sub => one?.wrapping_sub(two?),
        Op::Subw => word(one?.wrapping_sub(two?)),
        Op::And => one? & two?,
        Op::Or => one? | two?,
        Op::Zexth => one? & 0xffff,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of `main` at 0x1000, which follows `takt_semaphore_signal` at 0x800 and `helper` at 0x900.
    fn code(main: &[u32], helper: &[u32]) -> Code {
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let names = [(0x800, "takt_semaphore_signal"), (0x900, "helper"), (0x1000, "main")];
        Code {
            sections: vec![(0x900, bytes(helper)), (0x1000, bytes(main))],
            names: names.map(|(address, name)| (address, name.to_string())).into(),
        }
    }

    /// Addi rd, rs1, imm.
    fn addi(rd: u32, rs1: u32, imm: u32) -> u32 {
        imm << 20 | rs1 << 15 | rd << 7 | 0x13
    }

    /// Jal rd, from one address to another.
    fn jal(rd: u32, from: i32, to: i32) -> u32 {
        let by = (to - from) as u32;
        (by >> 20 & 1) << 31
            | (by >> 1 & 0x3ff) << 21
            | (by >> 11 & 1) << 20
            | (by & 0xff000)
            | rd << 7
            | 0x6f
    }

    const RET: u32 = 0x8067;

    fn ids(
        main: &[u32],
        helper: &[u32],
        argument: Option<i64>,
    ) -> Result<Vec<Option<i64>>, String> {
        let calls = code(main, helper).calls("main", argument)?;
        Ok(calls.into_iter().map(|call| call.id).collect())
    }

    /// An atomic operation is found in a function that is none of the known ones, and LR is none.
    #[test]
    fn atomic_operations_are_found() {
        let add = 0x00a5_a02f; // amoadd.w zero, a0, (a1)
        let reserve = 0x1005_a52f; // lr.w a0, (a1)
        let finds = |main: &[u32], helpers: &[u32], known: &[u64]| {
            code(main, helpers).may_have_atomic_beside(&known.iter().copied().collect())
        };
        assert!(finds(&[add, RET], &[RET], &[0x900]));
        assert!(!finds(&[reserve, RET], &[add, RET], &[0x900]));
        assert!(finds(&[RET], &[RET, add], &[]));
    }

    /// An instruction on a cache block is found wherever it begins; a fence is none.
    #[test]
    fn instructions_on_cache_blocks_are_found() {
        let flush = 0x0025_a00f; // cbo.flush (a1)
        let finds = |words: &[u32]| code(words, &[RET]).may_have_cache_block_instruction();
        assert!(finds(&[addi(10, 0, 3), flush]));
        assert!(finds(&[flush << 16 | 1, flush >> 16 | 1 << 16]));
        assert!(!finds(&[0x0ff0_000f, 0x0000_100f, addi(10, 0, 3), RET]));
    }

    #[test]
    fn a_constant_id_is_found_and_a_call_makes_it_unknown() {
        let main = [addi(10, 0, 3), jal(1, 0x1004, 0x800), jal(1, 0x1008, 0x800), RET];
        assert_eq!(ids(&main, &[RET], None).unwrap(), [None, Some(3)]);
        let kept = [addi(8, 0, 5), jal(1, 0x1004, 0x900), addi(10, 8, 1), jal(0, 0x100c, 0x800)];
        assert_eq!(ids(&kept, &[RET], None).unwrap(), [Some(6)]);
    }

    /// A float's register of the same number is another register; a comparison of floats has an integer result.
    #[test]
    fn floats_have_registers_of_their_own() {
        let (add, compare) = (0x02a5_7553, 0xa2a5_2553); // fadd.d fa0, fa0, fa0; feq.d a0, fa0, fa0
        let main = |float| [addi(10, 0, 3), float, jal(0, 0x1008, 0x800)];
        assert_eq!(ids(&main(add), &[RET], None).unwrap(), [Some(3)]);
        assert_eq!(ids(&main(compare), &[RET], None).unwrap(), [None]);
    }

    #[test]
    fn arguments_reach_functions() {
        let main = [addi(10, 10, 1), jal(0, 0x1004, 0x900)];
        let helper = [jal(1, 0x900, 0x800), RET];
        assert_eq!(ids(&main, &helper, Some(7)).unwrap(), [Some(8)]);
        let calls =
            [addi(10, 0, 2), jal(1, 0x1004, 0x900), addi(10, 0, 4), jal(1, 0x100c, 0x900), RET];
        assert_eq!(ids(&calls, &helper, None).unwrap(), [Some(2), Some(4)]);
    }

    /// The compiler's code that saves registers is called by t0.
    #[test]
    fn code_that_saves_registers_returns_by_another_register() {
        let main = [addi(10, 0, 3), jal(5, 0x1004, 0x900), jal(0, 0x1008, 0x800)];
        let back = 0x0002_8067; // jr t0
        assert_eq!(ids(&main, &[back], None).unwrap(), [Some(3)]);
    }

    /// What stands behind the call of a function without an end is not the caller's.
    #[test]
    fn what_follows_a_call_that_does_not_return_is_not_reached() {
        let main = [jal(1, 0x1000, 0x900), addi(10, 0, 3), jal(0, 0x1008, 0x800)];
        let endless = [jal(0, 0x900, 0x900)];
        assert_eq!(ids(&main, &endless, None).unwrap(), []);
        assert_eq!(ids(&main, &[RET], None).unwrap(), [Some(3)]);
        let last = [jal(0, 0x900, 0x800)];
        assert_eq!(ids(&main, &last, None).unwrap(), [None, Some(3)]);
    }

    /// Two ways to a call, with two values: neither is taken for the other.
    #[test]
    fn where_ways_meet_only_what_holds_on_both_is_known() {
        let branch = 0x0005_8463; // beq a1, x0, 8
        let main = [addi(10, 0, 3), branch, addi(10, 0, 4), jal(1, 0x100c, 0x800), RET];
        assert!(ids(&main, &[RET], None).unwrap().contains(&None));
        let same = [addi(10, 0, 3), branch, addi(10, 0, 3), jal(1, 0x100c, 0x800), RET];
        assert_eq!(ids(&same, &[RET], None).unwrap(), [Some(3)]);
    }

    /// How often each call may be made, with its ID.
    fn times(main: &[u32], helper: &[u32]) -> Vec<(Option<i64>, Option<u64>)> {
        let calls = code(main, helper).calls("main", None).expect("a walk");
        calls.into_iter().map(|call| (call.id, call.times)).collect()
    }

    /// Calls are counted by the places from which they are made, directly and by other functions.
    #[test]
    fn calls_are_counted() {
        let once = [addi(10, 0, 3), jal(1, 0x1004, 0x800), RET];
        assert_eq!(times(&once, &[RET]), [(Some(3), Some(1))]);
        let helper = [addi(10, 0, 3), jal(1, 0x904, 0x800), addi(10, 0, 3), jal(0, 0x90c, 0x800)];
        let twice = [jal(1, 0x1000, 0x900), jal(1, 0x1004, 0x900), RET];
        assert_eq!(times(&twice, &helper), [(Some(3), Some(4))]);
    }

    /// Nothing limits how often a loop is run, whether the call stands in it or in a function that is called there, and how often
    /// a function calls itself. A loop before a call does not repeat it.
    #[test]
    fn nothing_limits_calls_in_loops_and_recursion() {
        let back = 0xfe05_9ee3; // bnez a1, -4
        let lasts = [addi(10, 0, 3), jal(1, 0x1004, 0x800), back, RET];
        assert_eq!(times(&lasts, &[RET]), [(None, None), (Some(3), None)]);
        let helper = [addi(10, 0, 3), jal(0, 0x904, 0x800)];
        let calls = [jal(1, 0x1000, 0x900), back, RET];
        assert_eq!(times(&calls, &helper), [(Some(3), None)]);
        let calls_itself = [addi(10, 0, 3), jal(1, 0x904, 0x800), jal(1, 0x908, 0x900), RET];
        assert_eq!(times(&[jal(1, 0x1000, 0x900), RET], &calls_itself), [(Some(3), None)]);
        let before = [addi(11, 11, 1), back, addi(10, 0, 3), jal(0, 0x100c, 0x800)];
        assert_eq!(times(&before, &[RET]), [(Some(3), Some(1))]);
    }

    #[test]
    fn what_cannot_be_followed_is_an_error() {
        let through_a0 = 0x0005_00e7; // jalr ra, a0
        let error = ids(&[through_a0, RET], &[RET], None).unwrap_err();
        assert_eq!(error, "main calls or jumps through a pointer at 0x1000");
        // A pointer that is known is a function.
        let known = [addi(5, 0, 0x7ff), addi(10, 0, 9), addi(5, 5, 1), 0x0002_80e7, RET];
        assert_eq!(ids(&known, &[RET], None).unwrap(), [Some(9)]);
        assert!(ids(&[addi(10, 0, 3)], &[RET], None).unwrap_err().contains("leaves the code"));
    }
}
