// SPDX-License-Identifier: Apache-2.0
use std::io::Write;
use std::path::Path;
use takt_board::{
    Setup,
    boot::Firmware,
    engine::{Mode, Order},
    start,
};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let board = takt_model::Board::read(Path::new(&args[1])).unwrap_or_else(|_| panic!("board"));
    let harts: u32 = args[2].parse().unwrap();
    let timed = args.get(4).is_some_and(|a| a.starts_with("timed"));
    let ms: u64 = args.get(5).map_or(1000, |a| a.parse().unwrap());
    let firmware = if args.get(6).is_some() {
        Firmware::None
    } else {
        Firmware::Dynamic(Path::new("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin"))
    };
    let mut started = start(Setup {
        board: &board,
        harts,
        program: Path::new(&args[3]),
        firmware,
        initrd: None,
        arguments: "",
        input: vec![],
    })
    .unwrap();
    let m = &mut started.machine;
    if args.get(4).is_some_and(|a| a == "timed-strict") {
        m.order = Order::Strict;
    }
    let t0 = std::time::Instant::now();
    if timed {
        m.stops = vec![started.entry];
    }
    let mut until = 0;
    loop {
        until += 10_000_000;
        let end = m.run(until);
        let out = std::mem::take(m.world.platform.console());
        std::io::stdout().write_all(&out).unwrap();
        match end {
            takt_board::engine::End::Until => {}
            takt_board::engine::End::Stop { .. } if m.mode == Mode::Functional => {
                println!(
                    "[timing from {} on, {} instructions, {:?}]",
                    m.now,
                    m.instructions(),
                    t0.elapsed()
                );
                m.stops.clear();
                m.begin_timing(|_| 0);
                until = m.now;
            }
            other => {
                println!("[{other:?}]");
                break;
            }
        }
        if until > ms * 1_000_000 {
            break;
        }
    }
    println!(
        "[now {} instructions {} transactions {} {:?}]",
        m.now,
        m.instructions(),
        m.world.transactions_done,
        t0.elapsed()
    );
    let mut h = 0u64;
    for u in &m.units {
        for x in &u.hart.x[..32] {
            h = h.wrapping_mul(31).wrapping_add(*x);
        }
        h = h.wrapping_mul(31).wrapping_add(u.hart.instret).wrapping_mul(31).wrapping_add(u.clock);
    }
    println!("[fingerprint {h:x}]");
    for (i, u) in m.units.iter().enumerate().take(4) {
        println!(
            "[hart {i} pc {:x} {:?} instret {} clock {} mcause {:x} mepc {:x} mtval {:x} scause {:x} sepc {:x}]",
            u.hart.pc,
            u.state,
            u.hart.instret,
            u.clock,
            u.hart.mcause,
            u.hart.mepc,
            u.hart.mtval,
            u.hart.scause,
            u.hart.sepc
        );
    }
}
