// SPDX-License-Identifier: Apache-2.0
//! Handles Ctrl-C and other requests to end: a run notices the request and ends its machine first.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Installs the handlers: from then on SIGINT, SIGTERM and SIGHUP only set a flag.
pub fn catch() -> Result<(), Failure> {
    static CATCH: Once = Once::new();
    let mut result = Ok(());
    CATCH.call_once(|| result = ctrlc::set_handler(|| REQUESTED.store(true, Ordering::Relaxed)));
    result.map_err(|error| {
        Failure::tool(format!("cannot catch signals: {error}"), "run takt on its own")
    })
}

/// The load is relaxed: no other data is published with the flag.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
