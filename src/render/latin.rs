//! Text for Helvetica in PDF, in the encoding WinAnsi (Windows-1252). An accented letter that is not in it becomes its base letter.

/// The characters of the bytes from 0x80 to 0x9f; a blank for bytes without one.
const SPECIAL: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/// The base letters of U+0100 to U+017F.
const BASE_LETTERS: &str = "\
    AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL\
    lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

/// The byte of a character or of its base letter; `None` if there is none.
pub(super) fn byte(c: char) -> Option<u8> {
    match c {
        ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(c).ok(),
        '\u{2010}' | '\u{2011}' | '\u{2212}' => Some(b'-'),
        '\u{2032}' => Some(b'\''),
        '\u{2033}' => Some(b'"'),
        'Ș' => Some(b'S'),
        'ș' => Some(b's'),
        'Ț' => Some(b'T'),
        'ț' => Some(b't'),
        _ => {
            let special = SPECIAL.chars().zip(0x80..).find(|&(known, _)| known == c);
            let base_letter = || {
                let at = u32::from(c).checked_sub(0x100)?;
                BASE_LETTERS.as_bytes().get(at as usize).copied()
            };
            special.map(|(_, byte)| byte).or_else(base_letter)
        }
    }
}

/// The bytes of a text, with `?` for characters without one.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| byte(c).unwrap_or(b'?')).collect()
}

/// Widths of the letters from `A` to `Z` and from `a` to `z`, in thousandths of the font size.
const CAPITALS: [u32; 26] = [
    667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,
    611, 722, 667, 944, 667, 667, 611,
];
const SMALL: [u32; 26] = [
    556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500,
];

/// The width of a text, in thousandths of the font size; exact for letters, digits, `<` and `>`, which are all that is centred.
pub(super) fn width(bytes: &[u8]) -> u32 {
    let width = |&byte: &u8| match byte {
        b'A'..=b'Z' => CAPITALS[usize::from(byte - b'A')],
        b'a'..=b'z' => SMALL[usize::from(byte - b'a')],
        b'<' | b'>' => 584,
        _ => 556,
    };
    bytes.iter().map(width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_their_bytes() {
        assert_eq!(bytes("Aé€…ÿ"), [b'A', 0xe9, 0x80, 0x85, 0xff]);
        assert_eq!(bytes("Łódź, Ștefan ﬁ"), b"L\xf3dz, Stefan ?");
        assert_eq!((byte('東'), byte('\n'), byte('\u{81}')), (None, None, None));
        assert_eq!((BASE_LETTERS.len(), SPECIAL.chars().count()), (128, 32));
    }

    #[test]
    fn digits_are_of_one_width() {
        assert_eq!(width(b"10"), 1112);
        assert_eq!(width(b">99"), 584 + 1112);
        assert_eq!(width(b"Wi"), 944 + 222);
    }
}
