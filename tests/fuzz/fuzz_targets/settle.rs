//! A line, settled by the kernel and by plain counting, whatever the bytes are.
#![no_main]

#[path = "../../common/settling.rs"]
mod settling;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| settling::any(bytes));
