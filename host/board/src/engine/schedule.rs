// SPDX-License-Identifier: Apache-2.0
//! What is going to happen and when: the queue of events, and what of it each hart must expect.

use super::{
    event::{Class, Event, Message},
    queue::{self, Queue},
};
use crate::devices::Tick;

#[derive(Clone, Default)]
pub struct Schedule {
    pub(super) queue: Queue,
    /// For each hart: the ticks of the messages that are on their way to it. They follow from the queue.
    due: Vec<Vec<Tick>>,
    /// For each hart the first of them; `Tick::MAX`: there is none.
    earliest_due: Vec<Tick>,
    /// The least time from a hart's instruction to its effect on another hart.
    pub(super) hart_lookahead: Tick,
}

impl Schedule {
    pub fn new(queue: Queue, harts: u32, hart_lookahead: Tick) -> Schedule {
        let (due, earliest_due) =
            (vec![Vec::new(); harts as usize], vec![Tick::MAX; harts as usize]);
        Schedule { queue, due, earliest_due, hart_lookahead }
    }

    /// The schedule that was saved, of a machine like the one that `like` is of.
    pub fn restore(events: queue::Saved, like: &Schedule) -> Schedule {
        let mut schedule = Schedule::new(Queue::default(), like.harts(), like.hart_lookahead);
        for (tick, event) in events.events() {
            if let Event::Deliver { hart, .. } = event {
                schedule.announce(*hart, tick);
            }
        }
        Schedule { queue: events.restore(&like.queue), ..schedule }
    }

    pub fn harts(&self) -> u32 {
        self.due.len() as u32
    }

    /// Schedules an event while the machine handles another, and so in the global order.
    pub fn push_next(&mut self, tick: Tick, class: Class, source: u32, event: Event) {
        self.queue.push_next(tick, class, source, event);
    }

    /// Schedules the arrival of a message at a hart.
    pub fn deliver(&mut self, hart: u32, tick: Tick, message: Message) {
        self.announce(hart, tick);
        self.queue.push_next(tick, Class::Deliver, hart, Event::Deliver { hart, message });
    }

    /// A message whose event the caller pushes will reach the hart at the tick.
    pub fn announce(&mut self, hart: u32, tick: Tick) {
        self.due[hart as usize].push(tick);
        let earliest = &mut self.earliest_due[hart as usize];
        *earliest = tick.min(*earliest);
    }

    /// A message that was announced for this tick has reached the hart.
    pub fn delivered(&mut self, hart: u32, now: Tick) {
        let due = &mut self.due[hart as usize];
        let at = due.iter().position(|tick| *tick == now).expect("it was announced");
        due.swap_remove(at);
        self.earliest_due[hart as usize] = due.iter().copied().min().unwrap_or(Tick::MAX);
    }

    /// When the first message that is on its way to the hart reaches it; `Tick::MAX` if there is none.
    pub fn earliest_due(&self, hart: usize) -> Tick {
        self.earliest_due[hart]
    }
}
