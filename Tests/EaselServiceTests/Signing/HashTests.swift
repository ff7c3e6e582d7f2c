import Testing

@testable import EaselService

/// Hashes and ciphers, with the examples of their standards.
struct HashTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func bytes(_ digits: String) -> [UInt8] { PercentText.bytes(ofHexadecimal: Array(digits.utf8)) ?? [] }

  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func md5(_ text: String, _ hash: String) { #expect(hex(MD5.hash(Array(text.utf8))) == hash) }

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
  func sha512(_ text: String, _ hash: String) { #expect(hex(SHA512.hash(Array(text.utf8))) == hash) }

  @Test(arguments: [
    ("000102030405060708090a0b0c0d0e0f", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ("000102030405060708090a0b0c0d0e0f1011121314151617", "dda97ca4864cdfe06eaf70a0ec0d7191"),
    (
      "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "8ea2b7ca516745bfeafc49904b496089"
    ),
  ])
  func aBlockOfAES(_ key: String, _ block: String) throws {
    let cipher = try #require(AES(key: bytes(key)))
    #expect(hex(cipher.decrypted(block: bytes(block))) == "00112233445566778899aabbccddeeff")
  }

  @Test func otherKeysAndMessagesAreNone() throws {
    for count in [0, 15, 17, 31, 33] { #expect(AES(key: [UInt8](repeating: 1, count: count)) == nil) }
    let cipher = try #require(AES(key: [UInt8](repeating: 1, count: 16)))
    for count in [0, 16, 31, 33, 47] { #expect(cipher.decrypted([UInt8](repeating: 1, count: count)) == nil) }
  }
}
