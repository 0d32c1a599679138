//! The replacement of `cadical` in a build without the feature `sat`: the same names, but no solver can be made.

/// A solver. The type has no values.
pub(super) enum CaDiCal {}

/// See [`super::cadical::IS_BUILT_IN`].
pub(super) const IS_BUILT_IN: bool = false;

/// Always `None`.
pub(super) fn new() -> Option<CaDiCal> {
    None
}

#[allow(clippy::upper_case_acronyms, reason = "these are the names of CaDiCaL")]
pub(super) enum SatStatus {
    SATISFIABLE,
    UNSATISFIABLE,
    UNKNOWN,
}

pub(super) trait Terminator {
    fn terminated(&mut self) -> bool;
}

pub(super) trait Learner {
    fn learning(&mut self, size: i32) -> bool;
    fn learn(&mut self, literal: i32);
}

/// Defines methods that are never called, because there is no value of the type.
macro_rules! methods {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        impl CaDiCal {
            $(pub(super) fn $name(&mut self, $(_: $argument),*) $(-> $result)? {
                match *self {}
            })*
        }
    };
}

methods! {
    configure(&str);
    set(&str, i32);
    connect_terminator(impl Terminator);
    connect_learner(impl Learner);
    add(i32);
    clause1(i32);
    assume(i32);
    constrain(i32);
    phase(i32);
    unphase(i32);
    limit(&str, i32);
    solve() -> SatStatus;
    val(i32) -> i32;
    failed(i32) -> bool;
}

impl CaDiCal {
    pub(super) fn fixed(&self, _: i32) -> i32 {
        match *self {}
    }

    pub(super) fn get_statistic_value(&self, _: &str) -> i64 {
        match *self {}
    }
}
