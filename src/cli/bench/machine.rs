//! The machine that is measured, in a few words: a figure without it says nothing.

use std::env::consts;
use std::fmt;
use std::fs;
use std::thread;

use serde::Serialize;

/// Where the figures come from.
#[derive(Debug, Serialize)]
pub(super) struct Machine {
    /// The processor's model, or its architecture where the system does not tell.
    cpu: String,
    /// Logical cores that the program may use.
    cores: usize,
    system: &'static str,
    architecture: &'static str,
}

impl Machine {
    /// This one.
    pub(super) fn this() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Machine {
            cpu: model(&cpuinfo).unwrap_or(consts::ARCH).to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            system: consts::OS,
            architecture: consts::ARCH,
        }
    }

    pub(super) fn cores(&self) -> usize {
        self.cores
    }
}

impl fmt::Display for Machine {
    /// `AMD EPYC 7B13, 2 logical cores, linux x86_64`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine {
            cpu,
            cores,
            system,
            architecture,
        } = self;
        let plural = if *cores == 1 { "" } else { "s" };
        write!(
            f,
            "{cpu}, {cores} logical core{plural}, {system} {architecture}"
        )
    }
}

/// The model of the first processor that Linux lists. Not every architecture has this line.
fn model(cpuinfo: &str) -> Option<&str> {
    let mut fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let (_, model) = fields.find(|(key, _)| key.trim() == "model name")?;
    Some(model.trim()).filter(|model| !model.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_named_once() {
        let text = "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Some CPU @ 2: 3 GHz\n\nprocessor\t: 1\nmodel name\t: other\n";
        assert_eq!(model(text), Some("Some CPU @ 2: 3 GHz"));
        assert_eq!(model("processor : 0\nmodel name :\n"), None);
        assert_eq!(model(""), None);
    }
}
