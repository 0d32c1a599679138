//! The headings of several pictures on one page: they have one size, whatever the size of the pictures.

use super::super::layout::{Align, Canvas, Tone, shortened, text_width};
use super::super::paper::{MARGIN, Page};
use super::strokes::Strokes;

/// Font size of the largest titles: 12 points. All lengths are in tenths of a millimetre.
const MAX_SIZE: u32 = 42;

/// The font sizes of titles and bylines, and the height of both together with the gap below.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headings {
    title: u32,
    byline: u32,
    pub(super) height: u32,
    /// Width of a slot.
    room: u32,
}

impl Headings {
    /// These headings, each a title and a byline, in slots of this size: smaller in small slots, and where the longest title needs it.
    pub(super) fn new(headings: &[&[String; 2]], slot: Page) -> Self {
        let [room, high] = [slot.width, slot.height].map(|side| side - 2 * MARGIN);
        let widths = headings.iter().map(|heading| text_width(&heading[0], 1000));
        let longest = widths.max().unwrap_or(0);
        let largest = MAX_SIZE.min(room / 14).min(high / 8);
        let fitting = (u64::from(room) * 1000)
            .checked_div(longest.into())
            .unwrap_or(u64::MAX);
        let title = largest
            .min(fitting.try_into().unwrap_or(u32::MAX))
            .max(largest * 3 / 5);
        let mut sizes = Headings {
            title,
            byline: largest * 2 / 3,
            height: 0,
            room,
        };
        let mut is_any = |line: usize, size: u32| {
            if headings.iter().any(|heading| !heading[line].is_empty()) {
                sizes.height += line_height(size);
            }
        };
        is_any(0, sizes.title);
        is_any(1, sizes.byline);
        if sizes.height > 0 {
            sizes.height += title / 2;
        }
        sizes
    }

    /// Draws a heading: title and byline, each cut if it is wider than the slot. Returns its width too.
    pub(super) fn draw(&self, heading: &[String; 2]) -> (Vec<u8>, u32) {
        let mut canvas = Strokes::new(0);
        let (mut y, mut wide) = (0, 0);
        let sizes = [(self.title, Tone::Ink), (self.byline, Tone::Faint)];
        for (words, (size, tone)) in heading.iter().zip(sizes) {
            if words.is_empty() {
                continue;
            }
            let words = shortened(words, self.room, size);
            let middle = y + line_height(size) / 2;
            canvas.write(&words, (0, middle), Align::Left, size, tone);
            wide = wide.max(text_width(&words, size));
            y += line_height(size);
        }
        (canvas.finish(), wide)
    }
}

fn line_height(size: u32) -> u32 {
    size * 5 / 4
}
