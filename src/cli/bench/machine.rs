//! A short description of the machine, without which the figures mean nothing.

use std::env::consts;
use std::{fmt, fs, thread};

use serde::Serialize;

use super::super::words::counted;

/// The machine on which the figures were measured.
#[derive(Debug, Serialize)]
pub(super) struct Machine {
    /// The processor's model, or its architecture if the system does not report the model.
    cpu: String,
    /// Logical cores that the program may use.
    pub(super) cores: usize,
    system: &'static str,
    architecture: &'static str,
    /// The load average over the minute before the measurement, if the system reports it.
    load: Option<f64>,
}

impl Machine {
    pub(super) fn this() -> Self {
        let read = |file| fs::read_to_string(file).unwrap_or_default();
        let cpuinfo = read("/proc/cpuinfo");
        Machine {
            cpu: model(&cpuinfo).unwrap_or(consts::ARCH).to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            system: consts::OS,
            architecture: consts::ARCH,
            load: load(&read("/proc/loadavg")),
        }
    }

    /// The load, if it was so high that times and speed-ups may be worse than on an idle machine, even where runs agree.
    pub(super) fn busy(&self) -> Option<f64> {
        self.load.filter(|&load| load > self.cores as f64 / 4.0)
    }
}

impl fmt::Display for Machine {
    /// `AMD EPYC 7B13, 2 logical cores, linux x86_64, load before 0.07`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cores = counted(self.cores as u64, "logical core");
        let (system, architecture) = (self.system, self.architecture);
        write!(f, "{}, {cores}, {system} {architecture}", self.cpu)?;
        self.load
            .map_or(Ok(()), |load| write!(f, ", load before {load:.2}"))
    }
}

/// The model of the first processor that Linux lists. Not every architecture has this line.
fn model(cpuinfo: &str) -> Option<&str> {
    let mut fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let (_, model) = fields.find(|(key, _)| key.trim() == "model name")?;
    Some(model.trim()).filter(|model| !model.is_empty())
}

/// The average of the last minute, as Linux gives it.
fn load(loadavg: &str) -> Option<f64> {
    loadavg.split_whitespace().next()?.parse().ok()
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

    #[test]
    fn a_busy_machine_is_noticed() {
        let machine = |load| Machine {
            cores: 2,
            load,
            ..Machine::this()
        };
        assert_eq!(load("4.11 3.57 4.14 2/211 5417\n"), Some(4.11));
        assert_eq!(load(""), None);
        assert_eq!(machine(Some(0.6)).busy(), Some(0.6));
        assert!(machine(Some(0.6)).to_string().ends_with(" 0.60"));
        assert_eq!(
            (machine(Some(0.4)).busy(), machine(None).busy()),
            (None, None)
        );
    }
}
