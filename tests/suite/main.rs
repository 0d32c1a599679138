//! The tests of the library and of the command, one module per subject. They are one program, which takes less time to build than one for
//! each. A test is a program of its own, beside this folder, if it needs other features, measures its own process, or measures times that
//! other tests would disturb.

#![cfg(feature = "cli")]

#[path = "../common/mod.rs"]
mod common;

mod ambiguity;
mod api;
mod backbone;
mod census;
mod certificate;
mod classic;
mod cli;
mod cluster;
mod collections;
mod convert;
mod corpus;
mod correction;
mod count;
mod dependencies;
mod dimacs;
mod docs;
mod effort;
mod estimate;
mod examples;
mod explain;
mod format;
mod frontier;
mod fuzzing;
mod generate;
mod given;
mod goal;
mod graph;
mod handover;
mod hostile;
mod house;
mod journal;
mod journal_damage;
mod line;
mod merge;
mod nnf;
mod outputs;
mod pdf;
mod pictures;
mod portfolio;
mod profile;
mod race;
mod render;
mod repair;
mod roads;
mod search;
mod stopped;
mod studio;
mod studio_server;
mod surroundings;
mod tracing;
mod traps;
mod workflows;
