//! Expands one line per algorithm into the code of a family of algorithms.

/// Declares a family: the enum of its algorithms, the scenario table that chooses one by its tag, the
/// list `registry()`, and two macros for the rest of the family's file:
///
/// - `each!(self, m => m.method(argument))` calls the method of the algorithm in the enum.
/// - `build!(config, c => Trait::build(c, argument))` builds the algorithm that the table chooses.
///
/// `or Dyn(Box<dyn ...>)` adds a variant for algorithms from outside the crate. `samples of Trait`
/// adds `samples()`, the configurations that the family's conformance suite tests. The crate that uses
/// the macro depends on `serde` and `schemars`.
#[macro_export]
macro_rules! family {
    (
        $(#[$about:meta])*
        $vis:vis enum $family:ident $(or $outside:ident($boxed:ty))?;
        $(#[$about_table:meta])*
        pub enum $table:ident of $name_of_family:literal, tag $tag:literal as $name_of:ident
            $(, samples of $samples:ident)?;
        $(#[doc = $doc:literal] $name:literal $variant:ident($model:ty, $config:ty) from $source:literal;)+
    ) => {
        $(#[$about])*
        $vis enum $family {
            $(#[doc = $doc] $variant($model),)+
            $(#[doc = "An algorithm from outside this crate."] $outside($boxed),)?
        }

        $(#[$about_table])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = $tag)]
        pub enum $table {
            $(#[doc = $doc] #[serde(rename = $name)] $variant($config),)+
        }

        impl $table {
            /// The value of its tag.
            pub const fn $name_of(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }
        }

        $crate::entries! { $name_of_family; $(#[doc = $doc] $name from $source;)+ }
        $crate::dispatch! { $family: $($variant)+ $($outside)? }
        $crate::family! { @samples $table $($samples)?: $($variant($model))+ }

        macro_rules! build {
            ($chosen:expr, $keys:ident => $call:expr) => {
                match $chosen { $($table::$variant($keys) => $call.map($family::$variant),)+ }
            };
        }
    };
    (@samples $table:ident: $($ignored:tt)+) => {};
    (@samples $table:ident $samples:ident: $($variant:ident($model:ty))+) => {
        impl $table {
            /// Configurations that the conformance suite tests.
            #[cfg(test)]
            pub(crate) fn samples() -> Vec<Self> {
                let mut all = Vec::new();
                $(all.extend(<$model as $samples>::samples().into_iter().map(Self::$variant));)+
                all
            }
        }
    };
}

/// The list of a family's algorithms, `registry()`.
#[macro_export]
macro_rules! entries {
    ($family:literal; $(#[doc = $doc:literal] $name:literal from $source:literal;)+) => {
        const ENTRIES: &[$crate::Entry] = &[$($crate::Entry {
            family: $family,
            name: $name,
            description: $doc.trim_ascii(),
            source: $source,
        },)+];

        /// The registered algorithms of the family, for listing.
        pub const fn registry() -> &'static [$crate::Entry] {
            ENTRIES
        }
    };
}

/// Defines `each!`, which passes a call on to the variant of an enum.
#[macro_export]
macro_rules! dispatch {
    ($enum:ident: $($variant:ident)+) => {
        macro_rules! each {
            ($self:ident, $inner:ident => $call:expr) => {
                match $self { $($enum::$variant($inner) => $call,)+ }
            };
        }
    };
}
