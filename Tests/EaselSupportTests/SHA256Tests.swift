import EaselSupport
import EaselTestStudio
import Testing

struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func theVectorsOfTheStandardComeOut(text: String, digest: String) {
    #expect(hexadecimal(SHA256.hash(text.utf8)) == digest)
  }

  @Test func manyBlocksComeOutAsTheStandardSays() {
    let (count, digest) =
      repetitions(1, inDebug: 0) == 1
      ? (1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
      : (10_000, "27dd1f61b867b6a0f6e9d8a41c43231de52107e53ae424de8f847b821db4b711")
    #expect(hexadecimal(SHA256.hash(repeatElement(UInt8(ascii: "a"), count: count))) == digest)
  }

  /// Lengths near the ends of blocks, where padding errors occur.
  @Test(arguments: [
    (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
    (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
    (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
  ])
  func lengthsAroundABlockArePaddedRight(count: Int, digest: String) {
    #expect(hexadecimal(SHA256.hash(repeatElement(UInt8(ascii: "a"), count: count))) == digest)
  }

  @Test func piecesHashLikeTheWhole() {
    var random = SeededRandom(seed: 3)
    let bytes = (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let whole = SHA256.hash(bytes)
    for _ in 0..<20 {
      var hash = SHA256()
      var rest = bytes[...]
      while !rest.isEmpty {
        let length = min(rest.count, random.below(70))
        hash.update(rest.prefix(length))
        rest = rest.dropFirst(length)
      }
      #expect(hash.finish() == whole)
    }
  }

  @Test func hexadecimalKeepsLeadingZeros() {
    #expect(hexadecimal([0, 1, 15, 16, 255]) == "00010f10ff")
    #expect(hexadecimal([UInt8]()) == "")
  }
}
