//! The reader of the format puzzlink, whatever the bytes are.
#![no_main]

#[path = "../../common/reading.rs"]
mod reading;

use libfuzzer_sys::fuzz_target;
use omnogram::format::Format;

fuzz_target!(|bytes: &[u8]| reading::any(Format::named("puzzlink"), bytes));
