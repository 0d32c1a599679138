//! Text as Helvetica has it in PDF: one byte a character, in the encoding that the format calls WinAnsi, which is Windows-1252. What is not
//! in it is brought to the letter that it is made of, where there is one.

/// The characters of the bytes from 0x80 to 0x9f; a blank where there is none.
const SPECIAL: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/// The letters without their marks from U+0100 to U+017F.
const PLAIN: &str = "\
    AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL\
    lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

/// The byte of a character; `None` where there is none that would do.
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
            let plain = || {
                let at = u32::from(c).checked_sub(0x100)?;
                PLAIN.as_bytes().get(at as usize).copied()
            };
            special.map(|(_, byte)| byte).or_else(plain)
        }
    }
}

/// The bytes of a text, with `?` for what has none.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| byte(c).unwrap_or(b'?')).collect()
}

/// Widths of the letters from `A` to `Z` and from `a` to `z`, in thousandths of the height of the type.
const CAPITALS: [u32; 26] = [
    667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,
    611, 722, 667, 944, 667, 667, 611,
];
const SMALL: [u32; 26] = [
    556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500,
];

/// How wide a text is, in thousandths of the height of the type: exactly where it is of letters, digits, `<` and `>`, as are those that
/// are centred.
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
        assert_eq!((PLAIN.len(), SPECIAL.chars().count()), (128, 32));
    }

    #[test]
    fn digits_are_of_one_width() {
        assert_eq!(width(b"10"), 1112);
        assert_eq!(width(b">99"), 584 + 1112);
        assert_eq!(width(b"Wi"), 944 + 222);
    }
}
