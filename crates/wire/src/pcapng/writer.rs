//! Writing a file: a section, its interfaces, packets with nanosecond time. Little-endian.

use std::io::{self, Write};

use airtcp_units::{Nanos, Narrow};

use super::blocks::{EnhancedPacket, Interface, Section};
use super::order::Order;
use super::statistics::Statistics;
use crate::link_type;

/// Times are in units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// A pcapng file being written.
#[derive(Debug)]
pub struct Pcapng<W: Write> {
    out: W,
    block: Vec<u8>,
    interfaces: u32,
}

impl<W: Write> Pcapng<W> {
    /// Begins a file: writes the section header with `application` as the writing application.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn new(out: W, application: &str) -> io::Result<Self> {
        let mut file = Self { out, block: Vec::new(), interfaces: 0 };
        Section { application: Some(application) }.emit(&mut file.block, Order::Little);
        file.write(Section::KIND)?;
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
        let interface = Interface {
            link_type,
            longest: snap,
            name: Some(name),
            resolution: Some(NANOSECONDS),
            offset: None,
        };
        self.block.clear();
        interface.emit(&mut self.block, Order::Little);
        self.write(Interface::KIND)?;
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
        let packet = EnhancedPacket { interface, ticks: at.0, length, data: kept };
        self.block.clear();
        packet.emit(&mut self.block, Order::Little);
        self.write(EnhancedPacket::KIND)
    }

    /// Writes what was counted at an interface; its time is in ns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn statistics(&mut self, counted: &Statistics) -> io::Result<()> {
        self.block.clear();
        counted.emit(&mut self.block, Order::Little);
        self.write(Statistics::KIND)
    }

    /// Passes on what the file holds back.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes the block: type, total length, content, total length again.
    fn write(&mut self, kind: u32) -> io::Result<()> {
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
    fn a_file_is_its_blocks() {
        let at = Nanos(5_000_000_000);
        let mut file = Pcapng::new(Vec::new(), "a test").unwrap();
        let interface = file.interface("one", 64).unwrap();
        file.packet(interface, at, &[1, 2, 3], 40).unwrap();
        let file = file.finish().unwrap();
        let mut rest = &file[..];
        let mut next = || {
            let total = Order::Little.word(rest, 4).unwrap() as usize;
            let (block, behind) = rest.split_at(total);
            rest = behind;
            (Order::Little.word(block, 0).unwrap(), &block[8..total - 4])
        };
        let (kind, section) = next();
        assert_eq!(
            (kind, Section::parse(section).unwrap().application),
            (Section::KIND, Some("a test"))
        );
        let (kind, description) = next();
        let interface = Interface::parse(description, Order::Little).unwrap();
        assert_eq!((kind, interface.name, interface.longest), (1, Some("one"), 64));
        assert_eq!((interface.link_type, interface.per_second()), (228, Some(1_000_000_000)));
        // The file has the upper and the lower 32 bits of nanoseconds in two fields.
        let (kind, packet) = next();
        let packet = EnhancedPacket::parse(packet, Order::Little).unwrap();
        assert_eq!((kind, packet.ticks, packet.length), (6, at.0, 40));
        assert_eq!((packet.interface, packet.data), (0, &[1, 2, 3][..]));
        assert!(rest.is_empty());
    }
}
