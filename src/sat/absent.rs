//! The solver of a build without the features `sat` and `sat-rust`: none can be made.

use super::incremental::{Answer, IncrementalSolver};

/// A solver. The type has no values.
pub(super) enum Absent {}

/// Defines methods that are never called, because there is no value of the type.
macro_rules! methods {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        $(fn $name(&mut self, $(_: $argument),*) $(-> $result)? {
            match *self {}
        })*
    };
}

impl IncrementalSolver for Absent {
    fn new() -> Option<Self> {
        None
    }

    methods! {
        add_clause(&[i32]);
        assume(i32);
        constrain(&[i32]);
        set_phase(i32);
        clear_phase(i32);
        stop_when(impl FnMut() -> bool + 'static);
        export_learnt(usize, impl FnMut(&[i32]) + 'static);
        solve(Option<u32>) -> Answer;
        is_true(i32) -> bool;
        is_needed(i32) -> bool;
    }

    fn fixed(&self, _: i32) -> Option<bool> {
        match *self {}
    }

    fn conflicts(&self) -> u64 {
        match *self {}
    }

    fn ticks(&self) -> u64 {
        match *self {}
    }
}
