//! Certificates of small puzzles, whatever is in them.
#![no_main]

#[path = "../../common/brute.rs"]
mod brute;
#[path = "../../common/proofs.rs"]
mod proofs;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| proofs::any(bytes));
