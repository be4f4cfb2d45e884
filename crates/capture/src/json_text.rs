//! JSON text in pieces, so that a large document is never in memory as text.
//!
//! The text is that of `serde_json::to_string`. Names of fields are written as they are, without a search for
//! characters to escape, which takes most of the time of a document with many small records.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

/// Bytes of a piece, about.
const PIECE: usize = 1 << 18;

/// Writes the JSON text of a value to `sink`, a piece at a time. False from `sink` ends it. Of the list `most.0` of
/// the document's top level, at most `most.1` elements are written.
///
/// # Errors
/// If `sink` ends it, or the value cannot be serialized.
pub fn write<T: Serialize>(
    value: &T,
    most: Option<(&'static str, usize)>,
    sink: &mut dyn FnMut(&str) -> bool,
) -> Result<(), Error> {
    let mut text = Text { bytes: Vec::with_capacity(2 * PIECE), depth: 0, most, cut: None, sink };
    value.serialize(&mut text)?;
    text.flush()
}

struct Text<'a> {
    bytes: Vec<u8>,
    depth: usize,
    most: Option<(&'static str, usize)>,
    /// Elements that the list which comes next may have.
    cut: Option<usize>,
    sink: &'a mut dyn FnMut(&str) -> bool,
}

impl Text<'_> {
    fn flush(&mut self) -> Result<(), Error> {
        let text = std::str::from_utf8(&self.bytes).map_err(Error::custom)?;
        if !(self.sink)(text) {
            return Err(Error::custom("the text is not taken"));
        }
        self.bytes.clear();
        Ok(())
    }

    fn plain<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        serde_json::to_writer(&mut self.bytes, value)
    }

    /// A text of which no character needs an escape.
    fn unescaped(&mut self, text: &str) {
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(b'"');
    }

    /// A name at the top level may be that of the list that is cut.
    fn note_name(&mut self, name: &str) {
        self.cut = self.most.filter(|(list, _)| self.depth == 1 && *list == name).map(|(_, n)| n);
    }

    fn begin(&mut self, open: &str) {
        self.bytes.extend_from_slice(open.as_bytes());
        self.depth += 1;
    }

    fn variant(&mut self, name: &'static str, open: &str) {
        self.bytes.push(b'{');
        self.unescaped(name);
        self.bytes.push(b':');
        self.begin(open);
    }
}

/// A list or an object.
struct Parts<'t, 'a> {
    text: &'t mut Text<'a>,
    is_first: bool,
    end: &'static str,
    /// Elements that may still come.
    left: usize,
}

impl<'t, 'a> Parts<'t, 'a> {
    fn new(text: &'t mut Text<'a>, end: &'static str) -> Self {
        Self { text, is_first: true, end, left: usize::MAX }
    }

    fn separate(&mut self) -> Result<(), Error> {
        if !self.is_first {
            self.text.bytes.push(b',');
        }
        self.is_first = false;
        if self.text.bytes.len() >= PIECE { self.text.flush() } else { Ok(()) }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(()) };
        self.left = left;
        self.separate()?;
        value.serialize(&mut *self.text)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Error> {
        self.separate()?;
        self.text.note_name(name);
        self.text.unescaped(name);
        self.text.bytes.push(b':');
        value.serialize(&mut *self.text)
    }

    fn finish(self) {
        self.text.depth -= 1;
        self.text.bytes.extend_from_slice(self.end.as_bytes());
    }
}

/// Serializes what is no list and no object as `serde_json` does.
macro_rules! plain {
    ($($name:ident: $kind:ty),*) => {
        $(fn $name(self, value: $kind) -> Result<(), Error> {
            self.plain(&value)
        })*
    };
}

impl<'t, 'a> Serializer for &'t mut Text<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'t, 'a>;
    type SerializeTuple = Parts<'t, 'a>;
    type SerializeTupleStruct = Parts<'t, 'a>;
    type SerializeTupleVariant = Parts<'t, 'a>;
    type SerializeMap = Parts<'t, 'a>;
    type SerializeStruct = Parts<'t, 'a>;
    type SerializeStructVariant = Parts<'t, 'a>;

    plain!(
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str,
        serialize_bytes: &[u8]
    );

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.bytes.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.unescaped(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.begin("{");
        let mut parts = Parts::new(self, "}");
        parts.field(variant, value)?;
        parts.finish();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        let left = self.cut.take().unwrap_or(usize::MAX);
        self.begin("[");
        Ok(Parts { left, ..Parts::new(self, "]") })
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        self.begin("[");
        Ok(Parts::new(self, "]"))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Error> {
        self.begin("[");
        Ok(Parts::new(self, "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        self.variant(variant, "[");
        Ok(Parts::new(self, "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        self.begin("{");
        Ok(Parts::new(self, "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        self.begin("{");
        Ok(Parts::new(self, "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        self.variant(variant, "{");
        Ok(Parts::new(self, "}}"))
    }
}

macro_rules! lists {
    ($($kind:ident: $method:ident),*) => {
        $(impl $kind for Parts<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        })*
    };
}

macro_rules! records {
    ($($kind:ident),*) => {
        $(impl $kind for Parts<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.finish();
                Ok(())
            }
        })*
    };
}

lists!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);
records!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.separate()?;
        let from = self.text.bytes.len();
        key.serialize(&mut *self.text)?;
        // A number becomes a text.
        if self.text.bytes.get(from) != Some(&b'"') {
            self.text.bytes.insert(from, b'"');
            self.text.bytes.push(b'"');
        }
        let name = &self.text.bytes[from + 1..self.text.bytes.len() - 1];
        let wanted = self.text.most.filter(|(list, _)| list.as_bytes() == name);
        self.text.cut = wanted.filter(|_| self.text.depth == 1).map(|(_, n)| n);
        self.text.bytes.push(b':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut *self.text)
    }

    fn end(self) -> Result<(), Error> {
        self.finish();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(serde::Serialize)]
    enum Kind {
        Unit,
        One(u8),
        Two(i64, f64),
        Named { text: String },
    }

    #[derive(serde::Serialize)]
    struct Inner {
        numbers: Vec<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        none: Option<u8>,
        some: Option<u128>,
        pair: (char, bool),
    }

    #[derive(serde::Serialize)]
    struct Outer {
        list: Vec<Inner>,
        #[serde(flatten)]
        flat: BTreeMap<String, Kind>,
        by_number: BTreeMap<u16, Option<()>>,
        empty: [u8; 0],
    }

    fn text<T: Serialize>(value: &T, most: Option<(&'static str, usize)>) -> (String, usize) {
        let (mut all, mut pieces) = (String::new(), 0);
        write(value, most, &mut |piece| {
            all += piece;
            pieces += 1;
            true
        })
        .unwrap();
        (all, pieces)
    }

    fn outer(length: usize) -> Outer {
        let inner = |i: usize| Inner {
            numbers: vec![0.1 * i as f64, 1e300, -0.0, f64::NAN],
            none: None,
            some: Some(u128::from(u64::MAX)),
            pair: ('"', i.is_multiple_of(2)),
        };
        let kinds = [
            Kind::Unit,
            Kind::One(7),
            Kind::Two(-3, 0.5),
            Kind::Named { text: "a\"\\\n\u{9b}\u{1f4a9}".to_owned() },
        ];
        Outer {
            list: (0..length).map(inner).collect(),
            flat: ('a'..).map(|c| format!("{c}\"\u{7f}")).zip(kinds).collect(),
            by_number: [(3, None), (4, Some(()))].into(),
            empty: [],
        }
    }

    #[test]
    fn the_text_is_that_of_serde_json() {
        for length in [0, 1, 20_000] {
            let value = outer(length);
            let (found, pieces) = text(&value, None);
            assert_eq!(found, serde_json::to_string(&value).unwrap());
            assert_eq!(pieces > 1, length > 1000, "{pieces}");
        }
    }

    #[test]
    fn a_list_is_cut() {
        let (found, _) = text(&outer(5), Some(("list", 2)));
        let mut cut = serde_json::to_value(outer(5)).unwrap();
        cut["list"].as_array_mut().unwrap().truncate(2);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&found).unwrap(), cut);
        // A list of that name at another level stays.
        let (found, _) = text(&outer(5), Some(("numbers", 1)));
        assert_eq!(found, serde_json::to_string(&outer(5)).unwrap());
    }

    #[test]
    fn a_sink_that_refuses_ends_it() {
        assert!(write(&outer(20_000), None, &mut |_| false).is_err());
    }
}
