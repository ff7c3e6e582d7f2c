import EaselCore
import EaselSupport
import Testing

@testable import EaselService

/// Hashes and ciphers, with the examples of their standards.
struct HashTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func hash(_ bytes: [UInt8], _ kind: Hashsum.Kind) -> [UInt8]? { bytes.withUnsafeBytes(kind.hash) }

  private func bytes(_ digits: String) -> [UInt8] { PercentText.bytes(ofHexadecimal: Array(digits.utf8)) ?? [] }

  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func md5(_ text: String, _ digits: String) { #expect(hash(Array(text.utf8), .md5).map(hex) == digits) }

  @Test(arguments: [
    (
      "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func sha512(_ text: String, _ digits: String) {
    #expect(hash(Array(text.utf8), .sha512).map(hex) == digits)
  }

  @Test func theOthersAreThoseOfTheirOwnCode() {
    for count in [0, 1, 55, 56, 64, 1000] {
      let bytes = [UInt8](repeating: 7, count: count)
      #expect(hash(bytes, .sha1) == SHA1.hash(bytes))
      #expect(hash(bytes, .sha256) == SHA256.hash(bytes))
    }
  }

  // Made with `openssl enc -aes-128-cbc` and its like.
  @Test(arguments: [
    (
      "000102030405060708090a0b0c0d0e0f",
      "c4ede074b9f2d2f16abd3d8cdc11b697bcccb44bdfb6ee44f7591b74f6c0a96be8d35a94d556a23d1651486bddb2417b"
    ),
    (
      "000102030405060708090a0b0c0d0e0f1011121314151617",
      "69c669d1c49a5c0545fcf8d058cc9e5d8efab664018a7b15991fa059b2e0675fa378d767c47af3a47ade7157bac48e2c"
    ),
    (
      "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
      "72eb737c40608fdadd48ca4be2fdce197d02c64377044d9d6aab7ca65abfd73b268dce32e8f24815ae0ad040a0454898"
    ),
  ])
  func aMessageInAES(_ key: String, _ message: String) throws {
    let cipher = try #require(AES(key: bytes(key)))
    let plain = cipher.decrypted(bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff" + message))
    #expect(plain.map { String(decoding: $0, as: UTF8.self) } == "http://images.example/a picture.jpg")
  }

  @Test func otherKeysAndMessagesAreNone() throws {
    for count in [0, 15, 17, 31, 33] { #expect(AES(key: [UInt8](repeating: 1, count: count)) == nil) }
    let cipher = try #require(AES(key: [UInt8](repeating: 1, count: 16)))
    for count in [0, 16, 31, 33, 47] { #expect(cipher.decrypted([UInt8](repeating: 1, count: count)) == nil) }
  }
}
