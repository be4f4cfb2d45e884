//! Members of a gzip file, one after the other. Other bytes after the last member are distinguished
//! from damage.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

use super::stream_error::Trailing;

/// The first byte of a member.
const BEGINS: u8 = 0x1f;

/// Decompresses all members.
pub(super) struct Members<'a> {
    member: Option<GzDecoder<BufReader<Box<dyn Read + 'a>>>>,
    given: u64,
}

impl<'a> Members<'a> {
    pub(super) fn new(inner: Box<dyn Read + 'a>) -> Self {
        Self { member: Some(GzDecoder::new(BufReader::new(inner))), given: 0 }
    }
}

impl Read for Members<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                self.given += n as u64;
                return Ok(n);
            }
            let Some(mut rest) = self.member.take().map(GzDecoder::into_inner) else { break };
            match rest.fill_buf()?.first() {
                None => {}
                Some(&BEGINS) => self.member = Some(GzDecoder::new(rest)),
                Some(_) => return Err(io::Error::other(Trailing(self.given))),
            }
        }
        Ok(0)
    }
}
