//! Recordings in WAV: read from what speaks, and laid end to end.

/// Samples with their form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wav {
    /// The 16 bytes that say how the samples are to be read.
    form: [u8; 16],
    samples: Vec<u8>,
}

impl Wav {
    /// Reads a recording. Programs that write as they speak don't know the length and write one that
    /// is too large; then the samples go on to the end.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes
            .strip_prefix(b"RIFF")?
            .get(4..)?
            .strip_prefix(b"WAVE")?;
        let mut form = None;
        loop {
            let (name, after) = rest.split_first_chunk::<4>()?;
            let (length, after) = after.split_first_chunk::<4>()?;
            let length = u32::from_le_bytes(*length) as usize;
            if name == b"data" {
                let samples = after.get(..length).unwrap_or(after).to_vec();
                let form = form?;
                return Some(Self { form, samples }).filter(|wav| wav.rate() > 0);
            }
            if name == b"fmt " {
                form = after.first_chunk::<16>().copied();
            }
            // A part has an even length, whatever it says.
            rest = after.get(length + length % 2..)?;
        }
    }

    /// Bytes for a second.
    fn rate(&self) -> u32 {
        let [.., a, b, c, d, _, _, _, _] = self.form;
        u32::from_le_bytes([a, b, c, d])
    }

    /// How long it takes, rounded up to whole seconds.
    pub(super) fn seconds(&self) -> u16 {
        let seconds = self.samples.len().div_ceil(self.rate().max(1) as usize);
        u16::try_from(seconds).unwrap_or(u16::MAX)
    }

    /// Lays another one of the same form behind this one.
    pub(super) fn append(&mut self, other: &Self) -> Option<()> {
        if self.form != other.form {
            return None;
        }
        self.samples.extend_from_slice(&other.samples);
        Some(())
    }

    /// The recording as a file; none where it's longer than such a file can be.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let length = u32::try_from(self.samples.len()).ok()?;
        let whole = length.checked_add(36)?;
        let mut bytes = b"RIFF".to_vec();
        bytes.extend_from_slice(&whole.to_le_bytes());
        bytes.extend_from_slice(b"WAVEfmt ");
        bytes.extend_from_slice(&16_u32.to_le_bytes());
        bytes.extend_from_slice(&self.form);
        bytes.extend_from_slice(b"data");
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&self.samples);
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second of 8-bit silence at 8 kHz, as a program writes it that doesn't know the length.
    fn streamed(samples: usize) -> Vec<u8> {
        let mut bytes = b"RIFF\xff\xff\xff\xffWAVELIST\x03\0\0\0abc\0fmt \x10\0\0\0".to_vec();
        bytes.extend_from_slice(&[1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]);
        bytes.extend_from_slice(b"data\xff\xff\xff\xff");
        bytes.extend(std::iter::repeat_n(128, samples));
        bytes
    }

    #[test]
    fn recordings_of_unknown_length_are_read_and_laid_end_to_end() {
        let mut first = Wav::parse(&streamed(8000)).expect("a recording");
        let second = Wav::parse(&streamed(8001)).expect("a recording");
        assert_eq!((first.seconds(), second.seconds()), (1, 2));
        first.append(&second).expect("of one form");
        let again = Wav::parse(&first.to_bytes().expect("short")).expect("a recording");
        assert_eq!(again, first);
        assert_eq!(again.seconds(), 3);
    }

    #[test]
    fn what_is_no_recording_is_refused() {
        let mut other = streamed(10);
        other[36] = 2;
        let mut first = Wav::parse(&streamed(10)).expect("a recording");
        let other = Wav::parse(&other).expect("a recording in stereo");
        assert_eq!(first.append(&other), None);
        for end in 0..51 {
            assert_eq!(Wav::parse(&streamed(10)[..end]), None, "cut at {end}");
        }
        assert_eq!(Wav::parse(b"ID3 an MP3"), None);
    }
}
