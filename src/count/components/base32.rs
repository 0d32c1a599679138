//! Numbers as short text: base 32, lowest digit first, one character per digit. The character also says whether another digit follows.
//! Most numbers of a journal take two or three characters.

/// The digits 0 to 31, first as the last digit of a number, then as a digit that another one follows.
const DIGITS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVWXYZ-_wxyz";

/// Appends a number to `text`.
pub(crate) fn push_number(text: &mut String, number: u32) {
    let mut rest = number;
    while rest >= 32 {
        text.push(char::from(DIGITS[32 + (rest % 32) as usize]));
        rest /= 32;
    }
    text.push(char::from(DIGITS[rest as usize]));
}

/// Reads the numbers of a text one after the other; holds the unread bytes.
#[derive(Debug)]
pub(crate) struct Reader<'t>(&'t [u8]);

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Reader(text.as_bytes())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next number; `None` at the end, on an invalid character, and on a number above `u32::MAX`.
    pub(crate) fn number(&mut self) -> Option<u32> {
        let (mut number, mut shift) = (0u32, 0);
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'v' => byte - b'a' + 10,
                b'A'..=b'Z' => byte - b'A' + 32,
                b'-' => 58,
                b'_' => 59,
                b'w'..=b'z' => byte - b'w' + 60,
                _ => return None,
            };
            let value = u32::from(digit % 32);
            if shift > 30 || value << shift >> shift != value {
                return None;
            }
            number |= value << shift;
            shift += 5;
            if digit < 32 {
                return Some(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        let numbers = [
            0,
            1,
            31,
            32,
            33,
            1023,
            1024,
            1 << 20,
            u32::MAX - 1,
            u32::MAX,
        ];
        let mut text = String::new();
        numbers
            .iter()
            .for_each(|&number| push_number(&mut text, number));
        let mut reader = Reader::new(&text);
        for number in numbers {
            assert_eq!(reader.number(), Some(number));
        }
        assert!(reader.is_empty());
        for wrong in ["", "A", "!", "zzzzzzz0", "zzzzzzv"] {
            assert_eq!(Reader::new(wrong).number(), None, "{wrong}");
        }
    }
}
