//! The native module `omnogram._omnogram`: the engine's answers as plain Python values. The package's own modules give them names, types and
//! documentation.

mod answers;
mod cubes;
mod design;
mod error;
mod many;
mod pool;
mod puzzle;
mod run;
mod solutions;
mod space;
mod values;

/// The native part of the package `omnogram`.
#[pyo3::pymodule(gil_used = false)]
mod _omnogram {
    #[pymodule_export]
    use crate::answers::{backbone, check, count, estimate, solve};
    #[pymodule_export]
    use crate::cubes::split;
    #[pymodule_export]
    use crate::design::{explain, profile, repair};
    #[pymodule_export]
    use crate::many::check_many;
    #[pymodule_export]
    use crate::puzzle::{NativePuzzle, read};
    #[pymodule_export]
    use crate::solutions::{Solutions, solutions};
    #[pymodule_export]
    use crate::space::{NativeSpace, space};

    /// The version of the engine.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python expects")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
