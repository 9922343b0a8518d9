// SPDX-License-Identifier: Apache-2.0
//! Interprets a machine's record, while the machine runs and at its end.

use takt_record::schema::HEADER;
use takt_record::{DecodeError, Head, Outcome, Reader, Record};

use crate::failure::Failure;
use crate::image::Image;

/// The number of bytes of a header.
pub fn header_size() -> u64 {
    HEADER.size() as u64
}

/// Returns the header, or the reason why there is none yet: until the kernel has written the whole
/// header, the memory may hold anything. A kernel of another build is an error at once.
pub fn judge(bytes: &[u8], image: &Image) -> Result<Result<Head, DecodeError>, Failure> {
    let head = Head::decode(bytes);
    match &head {
        Err(error @ DecodeError::Version(_)) => Err(unreadable(error.clone())),
        Ok(head) if started(head) && head.build_id != image.build_id => Err(foreign(head, image)),
        _ => Ok(head),
    }
}

/// Returns the whole record of a machine at its end; `head` is its header, and `reader` has taken
/// the earlier events.
pub fn record(bytes: &[u8], head: &Head, reader: Reader) -> Result<Record, Failure> {
    reader.finish(bytes).map_err(|error| match head.outcome {
        // A boot that stops early leaves only a header.
        Outcome::Panic => panicked(&head.message),
        _ => unreadable(error),
    })
}

/// Whether the kernel has begun to write the record.
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

/// The failure of a panic: the kernel has reported that it cannot go on; registers and backtrace
/// are on the console.
pub fn panicked(message: &str) -> Failure {
    let help = "the console above shows core, task, registers and who called whom";
    Failure::no(format!("the kernel stopped itself: {message}"), help)
}
