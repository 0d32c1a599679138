//! Errors of the engine as exceptions of Python.

use std::any::Any;
use std::error::Error as _;
use std::fmt::Display;
use std::io;

use omnogram::Error;
use omnogram::error::Kind;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exception of an error: `PuzzleError` for wrong data and options, and an `OSError` for input and output.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<io::Error>());
    if let (Kind::Io, Some(source)) = (error.kind(), source) {
        let file = error.place().map(|place| place.file.clone());
        return match source.raw_os_error() {
            // With a number, Python chooses the subclass, such as FileNotFoundError.
            Some(number) => PyOSError::new_err((number, error.message().to_owned(), file)),
            None => PyOSError::new_err(error.to_string()),
        };
    }
    let place = error.place();
    let arguments = (
        error.message(),
        place
            .map(|place| place.file.as_str())
            .filter(|file| !file.is_empty()),
        place.map(|place| place.line).filter(|&line| line > 0),
        place.map(|place| place.column).filter(|&column| column > 0),
        error.excerpt(),
    );
    match class(py).and_then(|class| class.call1(arguments)) {
        Ok(value) => PyErr::from_value(value),
        Err(failed) => failed,
    }
}

/// The class `PuzzleError`, which the package defines in Python.
fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "omnogram._errors", "PuzzleError")
}

/// The exception of threads that cannot be started.
pub(crate) fn threads(error: &dyn Display) -> PyErr {
    PyOSError::new_err(format!("the threads cannot be started: {error}"))
}

/// The exception of a panic of the engine, which is a defect.
pub(crate) fn panic(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "no message".to_owned());
    PyRuntimeError::new_err(format!("internal error of omnogram: {text}"))
}
