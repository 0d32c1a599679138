//! Paper sizes, the pages of a document to print, and the placement of pictures on them.

/// A size of paper.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Paper {
    /// 297 x 420 mm.
    A3,
    /// 210 x 297 mm.
    A4,
    /// 148 x 210 mm.
    A5,
    /// 8.5 x 11 inches.
    Letter,
}

impl Paper {
    /// Its name in CSS.
    pub(super) fn name(self) -> &'static str {
        match self {
            Paper::A3 => "A3",
            Paper::A4 => "A4",
            Paper::A5 => "A5",
            Paper::Letter => "letter",
        }
    }

    /// Width and height in portrait format, in tenths of millimetres.
    fn portrait(self) -> (u32, u32) {
        match self {
            Paper::A3 => (2970, 4200),
            Paper::A4 => (2100, 2970),
            Paper::A5 => (1480, 2100),
            Paper::Letter => (2159, 2794),
        }
    }

    /// A page in landscape or portrait format.
    pub(super) fn page(self, landscape: bool) -> Page {
        let (mut width, mut height) = self.portrait();
        if landscape {
            std::mem::swap(&mut width, &mut height);
        }
        Page { width, height }
    }
}

/// The size of pages, and the number of sheets on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pages {
    /// Pages of this paper, portrait or landscape as fits best, with this number of sheets on each; 0 counts as 1.
    Paper(Paper, usize),
    /// Pages as large as their sheet. The number is the side of a cell in pixels of 1/96 inch.
    Cell(u32),
}

/// One page, in tenths of millimetres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) width: u32,
    pub(super) height: u32,
}

/// The margin for printers, the gap between two pictures, and the largest side of a cell, which limits the scale of small puzzles, all in
/// tenths of millimetres.
pub(super) const MARGIN: u32 = 100;
const GAP: u32 = 80;
const MAX_CELL: u32 = 120;

/// Points per tenth of a millimetre.
pub(super) const POINTS_PER_TENTH: f64 = 72.0 / 254.0;

impl Page {
    /// Whether it is wider than high.
    pub(super) fn is_landscape(self) -> bool {
        self.width > self.height
    }

    /// The page without a header of this height.
    pub(super) fn below(self, head: u32) -> Self {
        Page {
            height: self.height - head,
            ..self
        }
    }

    /// One slot of a grid that divides the page evenly, `across` by `down`: a page with its own margins.
    pub(super) fn slot(self, (across, down): (usize, usize)) -> Self {
        let part = |side: u32, number: usize| {
            let number = number as u32;
            let room = side - 2 * MARGIN;
            room.saturating_sub((number - 1) * GAP) / number + 2 * MARGIN
        };
        Page {
            width: part(self.width, across),
            height: part(self.height, down),
        }
    }

    /// The upper left corner of the slot in a column and row of such a grid.
    pub(super) fn corner(self, grid: (usize, usize), (column, row): (usize, usize)) -> (u32, u32) {
        let slot = self.slot(grid);
        let start = |side: u32, number: usize| (side - 2 * MARGIN + GAP) * number as u32;
        (start(slot.width, column), start(slot.height, row))
    }

    /// The scale, in tenths of a millimetre per pixel, at which a picture of this size with cells of `cell` pixels fills the page.
    pub(super) fn scale(self, (width, height): (u32, u32), cell: u32) -> f64 {
        let fit =
            |page: u32, picture: u32| f64::from(page - 2 * MARGIN) / f64::from(picture.max(1));
        let max_scale = f64::from(MAX_CELL) / f64::from(cell);
        let scale = fit(self.width, width).min(fit(self.height, height));
        scale.min(max_scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_fits_the_page_and_limits_the_cell() {
        let page = Paper::A4.page(true);
        assert!(page.is_landscape());
        assert_eq!(page.scale((2770, 100), 20), 1.0);
        assert_eq!(page.scale((100, 19_000), 20), 0.1);
        assert_eq!(page.scale((100, 100), 20), 6.0);
    }

    #[test]
    fn slots_divide_the_page() {
        let page = Paper::A4.page(false);
        assert_eq!(page.slot((1, 1)), page);
        let slot = page.slot((2, 3));
        // 1900 and 2770 without the margins.
        assert_eq!((slot.width, slot.height), (910 + 200, 870 + 200));
        assert_eq!(page.corner((2, 3), (1, 2)), (910 + 80, 2 * (870 + 80)));
        let last = page.corner((2, 3), (1, 2));
        assert_eq!((last.0 + slot.width, last.1 + slot.height), (2100, 2970));
    }
}
