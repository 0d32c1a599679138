//! A puzzle of at most 5x5 cells, by every way of the engine and by brute force, whatever the bytes are.
#![no_main]

#[path = "../../common/brute.rs"]
mod brute;
#[path = "../../common/habits.rs"]
mod habits;
#[path = "../../common/whole.rs"]
mod whole;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| whole::any(bytes));
