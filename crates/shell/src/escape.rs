//! Backslash escapes of `$'…'`, `printf` and `echo -e`.

/// At most four bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bytes {
    bytes: [u8; 4],
    len: usize,
}

impl Bytes {
    fn one(byte: u8) -> Self {
        Self {
            bytes: [byte, 0, 0, 0],
            len: 1,
        }
    }

    fn two(a: u8, b: u8) -> Self {
        Self {
            bytes: [a, b, 0, 0],
            len: 2,
        }
    }

    fn utf8(code: u32) -> Option<Self> {
        let c = char::from_u32(code)?;
        let mut bytes = [0u8; 4];
        let len = c.encode_utf8(&mut bytes).len();
        Some(Self { bytes, len })
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

fn digits(text: &[u8], from: usize, most: usize, radix: u32) -> (u32, usize) {
    let mut value = 0u32;
    let mut count = 0;
    while count < most {
        let Some(digit) = text
            .get(from + count)
            .and_then(|c| char::from(*c).to_digit(radix))
        else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        count += 1;
    }
    (value, count)
}

fn byte(value: u32) -> u8 {
    u8::try_from(value & 0xff).unwrap_or(0)
}

/// The bytes that the escape at the start of `text` (a backslash) stands for, and its length.
pub(crate) fn ansi(text: &[u8]) -> (Bytes, usize) {
    let Some(c) = text.get(1).copied() else {
        return (Bytes::one(b'\\'), 1);
    };
    let plain = |value| (Bytes::one(value), 2);
    match c {
        b'a' => plain(7),
        b'b' => plain(8),
        b'e' | b'E' => plain(27),
        b'f' => plain(12),
        b'n' => plain(b'\n'),
        b'r' => plain(b'\r'),
        b't' => plain(b'\t'),
        b'v' => plain(11),
        b'\\' | b'\'' | b'"' | b'?' => plain(c),
        b'0'..=b'7' => {
            let (value, count) = digits(text, 1, 3, 8);
            (Bytes::one(byte(value)), 1 + count)
        }
        b'x' => match digits(text, 2, 2, 16) {
            (_, 0) => (Bytes::two(b'\\', b'x'), 2),
            (value, count) => (Bytes::one(byte(value)), 2 + count),
        },
        b'u' | b'U' => match digits(text, 2, if c == b'u' { 4 } else { 8 }, 16) {
            (_, 0) => (Bytes::two(b'\\', c), 2),
            (value, count) => (Bytes::utf8(value).unwrap_or_default(), 2 + count),
        },
        b'c' => match text.get(2) {
            Some(control) => (Bytes::one(control & 0x1f), 3),
            None => (Bytes::two(b'\\', b'c'), 2),
        },
        _ => (Bytes::two(b'\\', c), 2),
    }
}
