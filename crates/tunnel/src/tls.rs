//! TLS 1.3 with pinned raw public keys (RFC 7250): both ends prove the key that the other was told, and no certificate,
//! authority, name or clock has a say.

use std::sync::{Arc, Mutex, PoisonError};

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::ring::{default_provider, sign};
use rustls::crypto::{CryptoProvider, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, Error,
    PeerMisbehaved, ServerConfig, SignatureScheme,
};

use crate::key::{PrivateKey, PublicKey};

/// The protocol and its version: ends of another version part in the handshake.
const ALPN: &[u8] = b"airtcp/1";

/// Keys that were refused lately, for those who ask why a connection failed.
pub(crate) type Refused = Arc<Mutex<Option<PublicKey>>>;

/// Takes the key that was refused last.
pub(crate) fn take(refused: &Refused) -> Option<PublicKey> {
    refused.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Accepts the keys that this end was told.
#[derive(Debug)]
struct Pinned {
    keys: Vec<PublicKey>,
    refused: Refused,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    fn new(keys: Vec<PublicKey>, refused: &Refused) -> Arc<Self> {
        Arc::new(Self {
            keys,
            refused: Arc::clone(refused),
            provider: Arc::new(default_provider()),
        })
    }

    fn check(&self, certificate: &CertificateDer<'_>) -> Result<(), Error> {
        let key = PublicKey::of_spki(certificate.as_ref());
        if key.is_some_and(|key| self.keys.contains(&key)) {
            return Ok(());
        }
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = key;
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn signature(
        &self,
        message: &[u8],
        key: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(key.as_ref());
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &key, signed, algorithms)
    }
}

/// QUIC has no TLS 1.2.
fn older() -> Error {
    PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme.into()
}

/// What both roles of a verifier ask alike.
macro_rules! pinned_signatures {
    () => {
        fn verify_tls12_signature(
            &self,
            _: &[u8],
            _: &CertificateDer<'_>,
            _: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            Err(older())
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            key: &CertificateDer<'_>,
            signed: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            self.signature(message, key, signed)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            vec![SignatureScheme::ED25519]
        }

        fn requires_raw_public_keys(&self) -> bool {
            true
        }
    };
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.check(key).map(|()| ServerCertVerified::assertion())
    }

    pinned_signatures!();
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        key: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.check(key).map(|()| ClientCertVerified::assertion())
    }

    pinned_signatures!();
}

fn certified(key: &PrivateKey) -> Result<Arc<CertifiedKey>, Error> {
    let signing = sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(key.pkcs8()))?;
    let public = CertificateDer::from(key.public().spki());
    Ok(Arc::new(CertifiedKey::new(vec![public], signing)))
}

/// The configuration of a client that speaks to one server. Each handshake is a whole one: nothing is resumed, and no data
/// leave before it, so that nothing can be replayed.
pub(crate) fn client(
    key: &PrivateKey,
    server: PublicKey,
    refused: &Refused,
) -> Result<QuicClientConfig, Error> {
    let verifier = Pinned::new(vec![server], refused);
    let own = AlwaysResolvesClientRawPublicKeys::new(certified(key)?);
    let mut config = ClientConfig::builder_with_provider(Arc::clone(&verifier.provider))
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_client_cert_resolver(Arc::new(own));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.resumption = Resumption::disabled();
    config.enable_sni = false;
    QuicClientConfig::try_from(config).map_err(|e| Error::General(e.to_string()))
}

/// The configuration of a server that these clients may use.
pub(crate) fn server(
    key: &PrivateKey,
    clients: Vec<PublicKey>,
    refused: &Refused,
) -> Result<QuicServerConfig, Error> {
    let verifier = Pinned::new(clients, refused);
    let own = AlwaysResolvesServerRawPublicKeys::new(certified(key)?);
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&verifier.provider))
        .with_protocol_versions(&[&TLS13])?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(own));
    config.alpn_protocols = vec![ALPN.to_vec()];
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    QuicServerConfig::try_from(config).map_err(|e| Error::General(e.to_string()))
}
