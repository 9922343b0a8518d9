// SPDX-License-Identifier: Apache-2.0
//! The longest response time of a task, and the busy window that shows it.

use crate::demand::Demand;
use crate::quantity::Time;
use crate::request::Window;

/// How long the jobs of one task take from their nominal release.
#[derive(Debug)]
pub enum Response {
    /// No job takes longer than this.
    Bounded(Time, Witness),
    /// Some job can take this long, and no limit was found.
    AtLeast(Time, Witness),
    GivenUp,
}

impl Response {
    /// The shorter one of two bounds of the same task; a bound rather than none.
    pub fn or_shorter(self, other: Response) -> Response {
        match (&self, &other) {
            (Response::Bounded(one, _), Response::Bounded(two, _)) if one <= two => self,
            (Response::Bounded(..), Response::AtLeast(..) | Response::GivenUp) => self,
            _ => other,
        }
    }
}

/// The busy window of a response, for the explanation.
#[derive(Debug)]
pub struct Witness {
    /// All work of the window.
    pub demand: Demand,
    pub window: Window,
}
