#![allow(missing_docs, dead_code)]
use crate::puzzle::Puzzle;
use crate::solutions::Count;
use std::time::Duration;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Checkpoint;
#[derive(Debug)]
pub struct Checkpointer;
impl Checkpointer {
    pub fn new(_: &Puzzle, _: u64) -> Self {
        Checkpointer
    }
    pub fn restart(&self) {}
    pub fn read(&self, _: Checkpoint, _: Duration) -> crate::error::Result<()> {
        Ok(())
    }
    pub fn lower_bound(&self) -> Count {
        Count::ZERO
    }
    pub fn nodes(&self) -> u64 {
        0
    }
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        None
    }
}
impl<'a> super::Counter<'a> {
    pub fn checkpointer(self, _: &Checkpointer) -> Self {
        self
    }
}
