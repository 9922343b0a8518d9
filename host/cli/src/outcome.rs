// SPDX-License-Identifier: Apache-2.0
//! What a machine's record says while it runs, and at its end.

use takt_record::schema::HEADER;
use takt_record::{DecodeError, Head, Outcome, Reader, Record};

use crate::failure::Failure;
use crate::image::Image;

/// Bytes of a header.
pub fn header_size() -> u64 {
    HEADER.size() as u64
}

/// The header, or why there is none yet: before the kernel has written all of it, memory
/// holds anything. A kernel of another build is an error at once.
pub fn judge(bytes: &[u8], image: &Image) -> Result<Result<Head, DecodeError>, Failure> {
    let head = Head::decode(bytes);
    match &head {
        Err(error @ DecodeError::Version(_)) => Err(unreadable(error.clone())),
        Ok(head) if started(head) && head.build_id != image.build_id => Err(foreign(head, image)),
        _ => Ok(head),
    }
}

/// The whole record of a machine at its end, of which `head` is the header and `reader` has taken events.
pub fn record(bytes: &[u8], head: &Head, reader: Reader) -> Result<Record, Failure> {
    reader.finish(bytes).map_err(|error| match head.outcome {
        // A boot that stops early leaves a header alone.
        Outcome::Panic => panicked(&head.message),
        _ => unreadable(error),
    })
}

/// The kernel has begun to say something.
pub fn started(head: &Head) -> bool {
    head.epoch != 0 || head.outcome != Outcome::Running
}

fn foreign(head: &Head, image: &Image) -> Failure {
    let hex = |id: &[u8]| id.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Failure::tool(
        format!(
            "the record is of build {}, the image is of build {}",
            hex(&head.build_id),
            hex(&image.build_id)
        ),
        "another image was loaded than the one that was read; build and run again",
    )
}

/// A record that cannot be read.
pub fn unreadable(error: DecodeError) -> Failure {
    let help = "the kernel was built from another version than takt, or wrote over its record";
    Failure::tool(error, help)
}

/// The kernel's own word that it cannot go on; registers and backtrace stand on the console.
pub fn panicked(message: &str) -> Failure {
    let help = "the console above shows core, task, registers and who called whom";
    Failure::no(format!("the kernel stopped itself: {message}"), help)
}
