// SPDX-License-Identifier: Apache-2.0
//! Ctrl-C and its kin: a run is asked to end, so that it can end its machine first.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From here on SIGINT, SIGTERM and SIGHUP set a flag and nothing else.
pub fn catch() -> Result<(), Failure> {
    static CATCH: Once = Once::new();
    let mut result = Ok(());
    CATCH.call_once(|| result = ctrlc::set_handler(|| REQUESTED.store(true, Ordering::Relaxed)));
    result.map_err(|error| {
        Failure::tool(format!("cannot catch signals: {error}"), "run takt on its own")
    })
}

/// Relaxed: nothing else is published with the flag.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
