// SPDX-License-Identifier: Apache-2.0
//! What a task can wait for, as far as the description tells.

use takt_model::{System, Task, Use};

use crate::{Named, Placement, Why, rights};

/// More requests of a job than this make the time of the analysis too long; it gives up.
const MOST_TIMES: u32 = 1000;

/// A semaphore for which a task may wait until others of its core give it back.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its index in the system.
    pub semaphore: usize,
    /// The lowest priority among the others that hold it.
    pub lowest: u8,
    /// The one of that priority, by its index, and its hold. None: they are several.
    pub holder: Option<(usize, u64)>,
}

/// The tasks that use each semaphore, each as the index of the task and its use.
pub struct Users<'a> {
    system: &'a System,
    placements: &'a [Placement],
    of: Vec<Vec<(usize, &'a Use)>>,
}

impl<'a> Users<'a> {
    pub fn new(system: &'a System, placements: &'a [Placement]) -> Self {
        let mut of = vec![Vec::new(); system.semaphores.len()];
        for (index, task) in system.tasks.iter().enumerate() {
            for one in &task.uses {
                of[one.semaphore].push((index, one));
            }
        }
        Users { system, placements, of }
    }

    /// The requests of a task that can make it wait, or why its waiting has no limit.
    pub fn requests(&self, task: usize) -> Result<Vec<Request>, Why> {
        let mut requests = Vec::new();
        for one in &self.system.tasks[task].uses {
            if one.hold.is_some() && one.times > MOST_TIMES {
                return Err(Why::TooManySteps);
            } else if one.hold.is_some() {
                let request = self.request(task, one.semaphore)?;
                requests.extend(request.into_iter().flat_map(|it| repeated(it, one.times)));
            } else if self.system.tasks[task].suspends.is_none() {
                let semaphore = Named::semaphore(self.system, one.semaphore);
                return Err(Why::UnlimitedWait { semaphore });
            }
        }
        Ok(requests)
    }

    fn request(&self, task: usize, semaphore: usize) -> Result<Option<Request>, Why> {
        let users = &self.of[semaphore];
        let initial = self.system.semaphores[semaphore].initial;
        let named = || Named::semaphore(self.system, semaphore);
        if initial == 0 || users.iter().any(|(_, one)| one.hold.is_none()) {
            return Err(Why::NoMutualExclusion { semaphore: named() });
        }
        let mut ended = users.iter().map(|(user, _)| *user);
        if let Some(user) = ended.find(|user| rights::may_be_ended(self.system, *user)) {
            let task = Named::task(self.system, user);
            return Err(Why::HolderEnds { semaphore: named(), task });
        }
        if users.len() as u64 <= u64::from(initial) {
            return Ok(None); // enough for all of them at once
        }
        let core = self.placements[task].core;
        let others = || users.iter().filter(|(other, _)| *other != task);
        if let Some((other, _)) = others().find(|(other, _)| self.placements[*other].core != core) {
            let task = Named::task(self.system, *other);
            return Err(Why::SharedAcrossCores { semaphore: named(), task });
        }
        if let Some((other, _)) = others().find(|(other, _)| sleeps(&self.system.tasks[*other])) {
            let task = Named::task(self.system, *other);
            return Err(Why::HolderSuspends { semaphore: named(), task });
        }
        let Some(lowest) = others().map(|(other, _)| self.placements[*other].priority).max() else {
            return Ok(None);
        };
        let mut last = others().filter(|(other, _)| self.placements[*other].priority == lowest);
        let holder = match (last.next(), last.next()) {
            (Some((other, one)), None) => Some((*other, one.hold.map_or(0, |hold| hold.0))),
            _ => None,
        };
        Ok(Some(Request { semaphore, lowest, holder }))
    }
}

/// As often as a job asks; each time it may have to wait.
fn repeated(request: Request, times: u32) -> impl Iterator<Item = Request> {
    std::iter::repeat_n(request, times as usize)
}

/// The requests that may find the semaphore held: a higher user is done with it before the task
/// runs again.
pub fn can_block(requests: &[Request], priority: u8) -> impl Iterator<Item = &Request> {
    requests.iter().filter(move |request| request.lowest >= priority)
}

/// Whether a job may wait for something else than a semaphore that others hold.
pub fn sleeps(task: &Task) -> bool {
    task.suspends.is_some() || task.uses.iter().any(|one| one.hold.is_none())
}
