//! The repair of a picture of at most 5x5 cells, compared with all smaller edits, whatever the bytes are.
#![no_main]

#[path = "../../common/brute.rs"]
mod brute;
#[path = "../../common/habits.rs"]
mod habits;
#[path = "../../common/repairing.rs"]
mod repairing;
#[path = "../../common/whole.rs"]
mod whole;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| repairing::any(bytes));
