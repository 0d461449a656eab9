//! Parquet's encodings, as far as a recording needs them
//! (<https://parquet.apache.org/docs/file-format/data-pages/encodings/>).
//!
//! They are written here rather than asked of the `parquet` crate because its writers take values: a dictionary's values
//! would be compared again in every row, although most of them come with a number.

/// Values of a delta block, and of one of its four miniblocks.
const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// Bits that a number takes.
pub fn width_of(number: u32) -> u32 {
    u32::BITS - number.leading_zeros()
}

/// Appends numbers of at most `width` bits as `RLE`: runs of 8 and more are written once, all else is packed.
pub fn push_hybrid<T: Copy + PartialEq + Into<u32>>(numbers: &[T], width: u32, out: &mut Vec<u8>) {
    let (mut packed_from, mut at) = (0, 0);
    while numbers.len() - at >= 8 {
        let first = numbers[at];
        if numbers[at..at + 8].iter().all(|number| *number == first) {
            push_groups(&numbers[packed_from..at], width, out);
            let rest = &numbers[at..];
            let run = rest
                .iter()
                .position(|number| *number != first)
                .unwrap_or(rest.len());
            push_run(first.into(), run, width, out);
            at += run;
            packed_from = at;
        } else {
            at += 8;
        }
    }
    push_groups(&numbers[packed_from..], width, out);
}

/// Appends one number `count` times as `RLE`.
pub fn push_run(number: u32, count: usize, width: u32, out: &mut Vec<u8>) {
    push_varint((count as u64) << 1, out);
    out.extend_from_slice(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Appends a bit-packed run of `RLE`; the last group of 8 is filled up with zeros.
fn push_groups<T: Copy + Into<u32>>(numbers: &[T], width: u32, out: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    let groups = numbers.len().div_ceil(8);
    push_varint((groups as u64) << 1 | 1, out);
    let end = out.len() + groups * width as usize;
    push_packed(
        numbers.iter().map(|&number| u64::from(number.into())),
        width,
        out,
    );
    out.resize(end, 0);
}

/// Appends numbers as `DELTA_BINARY_PACKED`. Differences wrap, as readers undo them.
pub fn push_delta(numbers: &[i64], out: &mut Vec<u8>) {
    push_varint(BLOCK as u64, out);
    push_varint((BLOCK / MINIBLOCK) as u64, out);
    push_varint(numbers.len() as u64, out);
    let mut before = numbers.first().copied().unwrap_or(0);
    push_zigzag(before, out);
    for block in numbers.get(1..).unwrap_or_default().chunks(BLOCK) {
        let mut deltas = [0; BLOCK];
        for (delta, &number) in deltas.iter_mut().zip(block) {
            *delta = number.wrapping_sub(before);
            before = number;
        }
        push_delta_block(&mut deltas[..block.len()], out);
    }
}

fn push_delta_block(deltas: &mut [i64], out: &mut Vec<u8>) {
    let least = deltas.iter().copied().min().unwrap_or(0);
    push_zigzag(least, out);
    let widths = out.len();
    out.resize(widths + BLOCK / MINIBLOCK, 0);
    for (i, miniblock) in deltas.chunks_mut(MINIBLOCK).enumerate() {
        let mut any = 0;
        for delta in miniblock.iter_mut() {
            *delta = delta.wrapping_sub(least);
            any |= *delta;
        }
        let width = u64::BITS - any.leading_zeros();
        out[widths + i] = width as u8;
        let end = out.len() + MINIBLOCK / 8 * width as usize;
        push_packed(
            miniblock.iter().map(|delta| delta.cast_unsigned()),
            width,
            out,
        );
        out.resize(end, 0);
    }
}

/// Appends truth values as `PLAIN`: a bit each.
pub fn push_bits(values: &[bool], out: &mut Vec<u8>) {
    push_packed(values.iter().map(|&value| u64::from(value)), 1, out);
}

/// Appends numbers of at most `width` bits, the lowest bit first.
fn push_packed(numbers: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let (mut bits, mut filled) = (0u128, 0);
    for number in numbers {
        bits |= u128::from(number) << filled;
        filled += width;
        if filled >= 64 {
            out.extend_from_slice(&(bits as u64).to_le_bytes());
            bits >>= 64;
            filled -= 64;
        }
    }
    out.extend_from_slice(&(bits as u64).to_le_bytes()[..filled.div_ceil(8) as usize]);
}

fn push_zigzag(number: i64, out: &mut Vec<u8>) {
    push_varint((number << 1 ^ number >> 63).cast_unsigned(), out);
}

fn push_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reads [`push_packed`]'s bytes.
    fn unpack(bytes: &[u8], width: u32, count: usize) -> Vec<u64> {
        let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
        let number = |i: usize| {
            (0..width as usize)
                .map(|b| bit(i * width as usize + b) << b)
                .sum()
        };
        (0..count).map(number).collect()
    }

    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }

    fn hybrid(mut bytes: &[u8], width: u32, count: usize) -> Vec<u32> {
        let mut numbers = Vec::new();
        while !bytes.is_empty() {
            let header = varint(&mut bytes);
            if header & 1 == 1 {
                let groups = (header >> 1) as usize;
                let (packed, rest) = bytes.split_at(groups * width as usize);
                numbers.extend(unpack(packed, width, groups * 8).iter().map(|&n| n as u32));
                bytes = rest;
            } else {
                let (value, rest) = bytes.split_at(width.div_ceil(8) as usize);
                let number = value
                    .iter()
                    .rev()
                    .fold(0, |n, &byte| n << 8 | u32::from(byte));
                numbers.extend(std::iter::repeat_n(number, (header >> 1) as usize));
                bytes = rest;
            }
        }
        assert!(numbers.len() >= count && numbers.len() < count + 8);
        numbers.truncate(count);
        numbers
    }

    #[test]
    fn a_run_is_written_once() {
        let mut out = Vec::new();
        push_hybrid(&[5u32; 1000], 3, &mut out);
        assert_eq!(out, [0xd0, 0x0f, 5]);
    }

    #[test]
    fn equal_steps_take_no_room() {
        let mut out = Vec::new();
        let numbers: Vec<i64> = (0..10_000).collect();
        push_delta(&numbers, &mut out);
        assert!(out.len() < 10_000 / BLOCK * 6, "{}", out.len());
    }

    proptest! {
        #[test]
        fn what_is_packed_reads_back(
            runs in prop::collection::vec((0u32..1000, 1usize..40), 0..40),
        ) {
            let numbers: Vec<u32> = runs.iter().flat_map(|&(n, count)| std::iter::repeat_n(n, count)).collect();
            let width = numbers.iter().copied().map(width_of).max().unwrap_or(0);
            let mut out = Vec::new();
            push_hybrid(&numbers, width, &mut out);
            prop_assert_eq!(hybrid(&out, width, numbers.len()), numbers);
        }

        #[test]
        fn any_width_can_be_packed(width in 1u32..=64, numbers: Vec<u64>) {
            let cut: Vec<u64> = numbers.iter().map(|n| n >> (64 - width)).collect();
            let mut out = Vec::new();
            push_packed(cut.iter().copied(), width, &mut out);
            prop_assert_eq!(out.len(), (cut.len() * width as usize).div_ceil(8));
            prop_assert_eq!(unpack(&out, width, cut.len()), cut);
        }
    }
}
