//! Writing pcapng files (draft-ietf-opsawg-pcapng): a section, its interfaces, packets with
//! nanosecond time.
//!
//! Little-endian. Blocks written: Section Header, Interface Description (link type 228, IPv4
//! without a link header; option `if_tsresol` = 9), Enhanced Packet.

use std::io::{self, Write};

use airtcp_units::{LowBits, Nanos, Narrow};

use crate::link_type;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;

/// A pcapng file being written.
#[derive(Debug)]
pub struct Pcapng<W: Write> {
    out: W,
    block: Vec<u8>,
    interfaces: u32,
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// An option of a block: code, length, value padded to four bytes.
fn option(block: &mut Vec<u8>, code: u16, value: &[u8]) {
    block.extend(code.to_le_bytes());
    block.extend(u16::narrow(value.len()).to_le_bytes());
    block.extend(value);
    pad(block);
}

impl<W: Write> Pcapng<W> {
    /// Begins a file: writes the section header with `application` as the writing application.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(out: W, application: &str) -> io::Result<Self> {
        let mut file = Self { out, block: Vec::new(), interfaces: 0 };
        file.begin();
        file.block.extend(BYTE_ORDER.to_le_bytes());
        // Version 1.0, section of unknown length.
        file.block.extend([1, 0, 0, 0]);
        file.block.extend(u64::MAX.to_le_bytes());
        option(&mut file.block, 4, &application.as_bytes()[..application.len().min(255)]);
        option(&mut file.block, 0, &[]);
        file.end(SECTION_HEADER)?;
        Ok(file)
    }

    /// Adds an interface with IPv4 packets and returns its number. `snap` is the maximum number of bytes
    /// kept of a packet, 0 for no limit.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn interface(&mut self, name: &str, snap: u32) -> io::Result<u32> {
        self.interface_with_link_type(link_type::IPV4, name, snap)
    }

    /// As [`interface`](Self::interface), with packets of another link type.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn interface_with_link_type(
        &mut self,
        link_type: u16,
        name: &str,
        snap: u32,
    ) -> io::Result<u32> {
        self.begin();
        self.block.extend(link_type.to_le_bytes());
        self.block.extend([0, 0]);
        self.block.extend(snap.to_le_bytes());
        option(&mut self.block, 2, &name.as_bytes()[..name.len().min(255)]);
        // if_tsresol: times are in units of 10^-9 s.
        option(&mut self.block, 9, &[9]);
        option(&mut self.block, 0, &[]);
        self.end(INTERFACE)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes a packet of `length` bytes, of which `kept` are in the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn packet(
        &mut self,
        interface: u32,
        at: Nanos,
        kept: &[u8],
        length: u32,
    ) -> io::Result<()> {
        self.begin();
        self.block.extend(interface.to_le_bytes());
        self.block.extend(((at.0 >> 32) as u32).to_le_bytes());
        self.block.extend(u32::low_bits(at.0).to_le_bytes());
        self.block.extend(u32::narrow(kept.len()).to_le_bytes());
        self.block.extend(length.to_le_bytes());
        self.block.extend(kept);
        pad(&mut self.block);
        self.end(PACKET)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self) {
        self.block.clear();
    }

    /// Writes the block: type, total length, body, total length again.
    fn end(&mut self, kind: u32) -> io::Result<()> {
        let total = (u32::narrow(self.block.len()) + 12).to_le_bytes();
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&total)?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_pass_four_seconds() {
        // The file has the upper and the lower 32 bits of nanoseconds in two fields.
        let at = Nanos(5_000_000_000);
        let mut file = Pcapng::new(Vec::new(), "a test").unwrap();
        let interface = file.interface("one", 0).unwrap();
        file.packet(interface, at, &[0; 4], 4).unwrap();
        let file = file.finish().unwrap();
        // The last block is type, length, interface, the time, lengths, four bytes, length.
        let block = &file[file.len() - 36..];
        let word = |at: usize| u64::from(u32::from_le_bytes(block[at..at + 4].try_into().unwrap()));
        assert_eq!(word(12) << 32 | word(16), at.0);
    }
}
