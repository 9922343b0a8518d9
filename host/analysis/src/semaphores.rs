// SPDX-License-Identifier: Apache-2.0
//! Requests of semaphores that may have to wait, as far as the description tells.

use takt_model::{Assignment, System, Use};

use crate::quantity::Work;
use crate::reach::may_be_ended;
use crate::verdict::{Named, NoBound};

/// More requests of a job than this make the time of the analysis too long; it gives up.
const MOST_TIMES: u32 = 1000;

/// A request of a semaphore that may have to wait until other tasks of the core give it back.
#[derive(Clone, Debug)]
pub struct SemaphoreRequest {
    /// The index of the semaphore in the system.
    pub semaphore: usize,
    /// The lowest priority among the other tasks that hold it.
    pub lowest: u8,
    /// The index of the task of the lowest priority, and its hold. None: several tasks have that priority.
    pub holder: Option<(usize, Work)>,
}

/// The users of all semaphores.
pub struct SemaphoreUsers<'a> {
    system: &'a System,
    assignments: &'a [Assignment],
    /// For each semaphore, the tasks that use it by their indices.
    users: Vec<Vec<(usize, &'a Use)>>,
}

impl<'a> SemaphoreUsers<'a> {
    pub fn new(system: &'a System, assignments: &'a [Assignment]) -> Self {
        let mut users = vec![Vec::new(); system.semaphores.len()];
        for (index, task) in system.tasks.iter().enumerate() {
            for one in &task.uses {
                users[one.semaphore].push((index, one));
            }
        }
        SemaphoreUsers { system, assignments, users }
    }

    /// The requests of a task that may have to wait, or why such a wait has no bound.
    pub fn requests(&self, task: usize) -> Result<Vec<SemaphoreRequest>, NoBound> {
        let mut requests = Vec::new();
        for one in &self.system.tasks[task].uses {
            if one.hold.is_some() && one.times > MOST_TIMES {
                return Err(NoBound::TooManySteps);
            } else if one.hold.is_some() {
                let request = self.request(task, one.semaphore)?;
                requests.extend(request.into_iter().flat_map(|it| repeated(it, one.times)));
            } else if self.system.tasks[task].suspends.is_none() {
                let semaphore = Named::semaphore(self.system, one.semaphore);
                return Err(NoBound::UnlimitedWait { semaphore });
            }
        }
        Ok(requests)
    }

    fn request(&self, task: usize, semaphore: usize) -> Result<Option<SemaphoreRequest>, NoBound> {
        let users = &self.users[semaphore];
        let initial = self.system.semaphores[semaphore].initial;
        let named = || Named::semaphore(self.system, semaphore);
        if initial == 0 || users.iter().any(|(_, one)| one.hold.is_none()) {
            return Err(NoBound::NoMutualExclusion { semaphore: named() });
        }
        let mut ended = users.iter().map(|(user, _)| *user);
        if let Some(user) = ended.find(|user| may_be_ended(self.system, *user)) {
            let task = Named::task(self.system, user);
            return Err(NoBound::HolderEnds { semaphore: named(), task });
        }
        if users.len() as u64 <= u64::from(initial) {
            return Ok(None); // There are counts enough for all users at once.
        }
        let core = self.assignments[task].core;
        let others = || users.iter().filter(|(other, _)| *other != task);
        if let Some((other, _)) = others().find(|(other, _)| self.assignments[*other].core != core)
        {
            let task = Named::task(self.system, *other);
            return Err(NoBound::SharedAcrossCores { semaphore: named(), task });
        }
        if let Some((other, _)) =
            others().find(|(other, _)| self.system.tasks[*other].may_suspend())
        {
            let task = Named::task(self.system, *other);
            return Err(NoBound::HolderSuspends { semaphore: named(), task });
        }
        let Some(lowest) = others().map(|(other, _)| self.assignments[*other].priority).max()
        else {
            return Ok(None);
        };
        let mut last = others().filter(|(other, _)| self.assignments[*other].priority == lowest);
        let holder = match (last.next(), last.next()) {
            (Some((other, one)), None) => Some((*other, one.hold.map_or(Work::ZERO, Work::from))),
            _ => None,
        };
        Ok(Some(SemaphoreRequest { semaphore, lowest, holder }))
    }
}

/// The requests of one job: each of them may have to wait.
fn repeated(request: SemaphoreRequest, times: u32) -> impl Iterator<Item = SemaphoreRequest> {
    std::iter::repeat_n(request, times as usize)
}

/// The requests that may find the semaphore held by a task at or below the priority. Higher users are done with it before the
/// task runs again.
pub fn can_block(
    requests: &[SemaphoreRequest],
    priority: u8,
) -> impl Iterator<Item = &SemaphoreRequest> {
    requests.iter().filter(move |request| request.lowest >= priority)
}
