import CEaselCurl
import EaselTestSupport
import Glibc
import Synchronization
import Testing

@testable import EaselCurl

extension StressTests {
  /// The allocator of curl, tested with texts that curl escapes.
  ///
  /// It must not run at the same time as the test that measures the memory of the process.
  struct CurlMemoryTests {
    init() throws { try #require(CurlLoader.isPrepared) }

    @Test(arguments: [10, 60 << 10, 100 << 10, 200 << 10, 258 << 10, 262 << 10, 300 << 10, 2 << 20])
    func textsOfAllSizesComeBackWhole(size: Int) {
      let text = String(repeating: "x", count: size - 1) + "é"
      let escaped = Self.escaped(text)
      #expect(escaped.count == size + 5)
      #expect(escaped.hasSuffix("xx%C3%A9"))
    }

    /// Allocates more blocks at once than the reserved area can hold.
    @Test func noTwoHaveTheSameMemory() {
      let texts = (0..<150).map { number in
        (number, curl_easy_escape(nil, String(repeating: Self.letter(number), count: 70 << 10), 0)!)
      }
      defer { for (_, text) in texts { curl_free(text) } }
      #expect(Set(texts.map { UInt(bitPattern: $0.1) }).count == 150)
      for (number, text) in texts {
        let bytes = UnsafeRawBufferPointer(start: text, count: 70 << 10)
        #expect(bytes.allSatisfy { $0 == Self.letter(number).utf8.first }, "text \(number)")
      }
    }

    @Test func whatNobodyUsesIsGivenBackAndTakenAgain() {
      let kept = curl_easy_escape(nil, String(repeating: "k", count: 100 << 10), 0)!
      defer { curl_free(kept) }
      for _ in 0..<3 {
        #expect(Self.escaped(String(repeating: "y", count: 100 << 10)).utf8.allSatisfy { $0 == UInt8(ascii: "y") })
        easel_curl_give_back_memory()
        #expect(UnsafeRawBufferPointer(start: kept, count: 100 << 10).allSatisfy { $0 == UInt8(ascii: "k") })
      }
    }

    @Test func manyThreadsTakeAndGiveBack() async {
      let wrong = await withTaskGroup(of: Int.self) { group in
        for task in 0..<8 {
          group.addTask {
            var wrong = 0
            for round in 0..<10 {
              let letter = Self.letter(task)
              let text = Self.escaped(String(repeating: letter, count: (70 + round) << 10))
              if !text.utf8.allSatisfy({ $0 == letter.utf8.first }) { wrong += 1 }
              if round == task { easel_curl_give_back_memory() }
            }
            return wrong
          }
        }
        return await group.reduce(0, +)
      }
      #expect(wrong == 0)
    }

    private static func letter(_ number: Int) -> String {
      String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number % 26)))
    }

    private static func escaped(_ text: String) -> String {
      guard let escaped = curl_easy_escape(nil, text, 0) else { return "" }
      defer { curl_free(escaped) }
      return String(cString: escaped)
    }
  }
}
