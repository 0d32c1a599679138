//! Counting without listing.
//!
//! [`Estimating`] tells about how many solutions there are where nobody can count them.

mod estimate;

pub use estimate::{Estimate, Estimating, Scaled};
