//! A journal, whatever is in it.
#![no_main]

#[path = "../../common/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| records::any_journal(bytes));
