//! A file of any kind, whatever the bytes are.
#![no_main]

#[path = "../../common/reading.rs"]
mod reading;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reading::any(None, bytes));
