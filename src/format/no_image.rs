//! Takes the place of `image` in a build without the feature `images`: every image is refused.

use super::grey::Grey;
use super::picture::{ImageType, TraceOptions};
use crate::error::{Error, Result};
use crate::puzzle::Grid;

pub(super) fn read(_bytes: &[u8], _image: ImageType, _tracing: &TraceOptions) -> Result<Grey> {
    Err(Error::without_images("read images"))
}

pub(super) fn write(_grid: &Grid, _image: ImageType) -> Result<Vec<u8>> {
    Err(Error::without_images("write images"))
}
