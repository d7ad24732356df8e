//! JWTs, signed as an issuer signs them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use ring::{hmac, rsa};
use serde_json::{Value, json};
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;

/// The issuer of the tokens of tests.
pub const ISSUER: &str = "https://issuer.example";
/// The audience that they are for.
pub const AUDIENCE: &str = "guanxi";

/// An issuer's key.
pub enum Signer {
    /// An RSA key.
    Rsa(RsaKeyPair),
    /// A key on the curve P-256.
    P256(EcdsaKeyPair),
    /// A key on the curve of Ed25519.
    Ed25519(Ed25519KeyPair),
    /// A secret that issuer and server share.
    Secret(Vec<u8>),
}

impl Signer {
    /// The RSA key of `tests-data`. There is only one, because making such a key takes long.
    pub fn rsa() -> Self {
        let pem = include_bytes!("../../../tests-data/jwt/rsa.key.pem");
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem).unwrap();
        Self::Rsa(RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap())
    }

    /// A new key on the curve P-256.
    pub fn p256() -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let made = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        Self::P256(EcdsaKeyPair::from_pkcs8(algorithm, made.as_ref(), &random).unwrap())
    }

    /// A new key on the curve of Ed25519.
    pub fn ed25519() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
    }

    /// A secret as a key.
    pub fn secret(secret: &[u8]) -> Self {
        Self::Secret(secret.to_vec())
    }

    /// One of each kind.
    pub fn all() -> [Self; 4] {
        [Self::rsa(), Self::p256(), Self::ed25519(), Self::secret(&[7; 32])]
    }

    /// The algorithm, as the header of a token names it.
    pub fn alg(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::P256(_) => "ES256",
            Self::Ed25519(_) => "EdDSA",
            Self::Secret(_) => "HS256",
        }
    }

    /// The key as its issuer publishes it; that of a secret is the secret.
    pub fn jwk(&self, kid: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let mut jwk = match self {
            Self::Rsa(pair) => {
                let parts: rsa::PublicKeyComponents<Vec<u8>> = pair.public().into();
                json!({ "kty": "RSA", "n": text(&parts.n), "e": text(&parts.e) })
            }
            Self::P256(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": text(x), "y": text(y) })
            }
            Self::Ed25519(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": text(pair.public_key().as_ref()) })
            }
            Self::Secret(secret) => json!({ "kty": "oct", "k": text(secret) }),
        };
        (jwk["alg"], jwk["use"]) = (json!(self.alg()), json!("sig"));
        if !kid.is_empty() {
            jwk["kid"] = json!(kid);
        }
        jwk
    }

    /// A token with any header and claims.
    pub fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_text(header, &claims.to_string())
    }

    /// A token with claims as they are written.
    pub fn sign_text(&self, header: &Value, claims: &str) -> String {
        let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let signed = format!("{}.{}", part(&header.to_string()), part(claims));
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(self.signature(signed.as_bytes())))
    }

    fn signature(&self, signed: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, signed, &mut signature).unwrap();
                signature
            }
            Self::P256(pair) => pair.sign(&random, signed).unwrap().as_ref().to_vec(),
            Self::Ed25519(pair) => pair.sign(signed).as_ref().to_vec(),
            Self::Secret(secret) => {
                hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed).as_ref().to_vec()
            }
        }
    }

    /// A right token of a user, for an hour.
    pub fn token(&self, kid: &str, uid: u64, now_ms: u64) -> String {
        self.sign(&self.header(kid), &claims(uid, now_ms))
    }

    /// The header of a right token; without a key id if that is empty.
    pub fn header(&self, kid: &str) -> Value {
        let mut header = json!({ "alg": self.alg(), "typ": "JWT" });
        if !kid.is_empty() {
            header["kid"] = json!(kid);
        }
        header
    }
}

/// The claims of a right token, for an hour.
pub fn claims(uid: u64, now_ms: u64) -> Value {
    let now = now_ms / 1_000;
    json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": uid.to_string(), "iat": now, "exp": now + 3_600 })
}

/// A document of keys.
pub fn jwks(keys: &[Value]) -> String {
    json!({ "keys": keys }).to_string()
}
