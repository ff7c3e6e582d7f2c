import Easel
import Testing

@testable import EaselCLI

/// Messages of the library in the words of the program.
struct WordingTests {
  private static let advice = [
    (
      "convert", "It has 9 pixels, over the limit of 5. Raise Limits.framePixels to allow it.",
      "It has 9 pixels, over the limit of 5. Raise --max-pixels to allow it."
    ),
    (
      "convert", "It makes 20000x1. Raise Limits.resultSide to allow it.",
      "It makes 20000x1. Raise --max-pixels to allow it."
    ),
    // What no option of the command raises is not advised; this command has one of that name for something else.
    ("convert", "It has 9 bytes, over 5. Raise Limits.downloadBytes to allow it.", "It has 9 bytes, over 5."),
    (
      "get", "It has 9 bytes, over 5. Raise Limits.downloadBytes to allow it.",
      "It has 9 bytes, over 5. Raise --max-bytes to allow it."
    ),
    (
      "get", "Too long. Raise Limits.metadataBytes or Limits.downloadBytes to allow it. Cause: that.",
      "Too long. Cause: that."
    ),
    (
      "serve", "It took longer than 5.0 seconds. Raise Limits.decodeTime to allow it.",
      "It took longer than 5.0 seconds. Raise --decode-time to allow it."
    ),
    (
      "serve", "It has 9 bytes. Raise Limits.downloadBytes to allow it.",
      "It has 9 bytes. Raise --max-source-bytes to allow it."
    ),
    (
      "info", "It took more than Limits.decodeTime allows, and was ended.",
      "It took more than the limit allows, and was ended."
    ),
    (
      "info", "Fix the plug-in, or raise Limits.decodeTime if it needs more time.",
      "Fix the plug-in, or raise the limit if it needs more time."
    ),
    (
      "convert", "It takes 9 bytes. Raise EncodeOptions.maxFileBytes.", "It takes 9 bytes. Raise --max-bytes."
    ),
    (
      "convert", "It is too large. A lower EncodeOptions.quality or a smaller EncodeOptions.maxPixelSize may help.",
      "It is too large. A lower --quality or a smaller --resize may help."
    ),
    (
      "info", "It needs memory. Raise Sandbox.Configuration.memoryBytes to allow more. Cause: (that).",
      "It needs memory. Cause: (that)."
    ),
    ("info", "It is damaged. Nothing helps.", "It is damaged. Nothing helps."), ("info", "", ""),
  ]

  @Test(arguments: advice) func adviceNamesOptions(_ command: String, _ message: String, _ text: String) throws {
    let description = try #require(Program.commands.first { $0.description.name == command }).description
    #expect(LimitAdvice(for: description).applied(to: message) == text)
  }

  /// Every message about a limit, as the core writes it, is understood.
  @Test func noCommandSpeaksOfSwift() throws {
    var errors: [ImageError] = []
    func note(_ body: () throws -> Void) {
      do { try body() } catch { if let error = error as? ImageError { errors.append(error) } }
    }
    let limits = Limits(side: 10, framePixels: 10, frames: 1, totalPixels: 10, metadataBytes: 1)
    note { try limits.check(frame: PixelSize(width: 11, height: 1), claimedBy: "It") }
    note { try limits.check(frame: PixelSize(width: 5, height: 5), claimedBy: "It") }
    note { try limits.check(result: PixelSize(width: 20_000, height: 1), madeBy: "It") }
    note { try limits.check(frameCount: 2, of: PixelSize(width: 1, height: 1), claimedBy: "It") }
    note { try limits.check(metadataBytes: 2, claimedBy: "It") }
    note { try limits.check(blockCount: 1 << 30, claimedBy: "It") }
    #expect(errors.count == 6 && errors.allSatisfy { $0.message.contains("Limits.") })
    for command in Program.commands {
      let advice = LimitAdvice(for: command.description)
      for error in errors {
        let text = advice.applied(to: error.message)
        #expect(!text.contains("Limits") && text.hasPrefix("It "), "\(command.description.name): \(text)")
      }
    }
  }

  @Test func theNameOfAnInputHasNoPassword() {
    #expect(Input.name("http://alice:geheim@host/a") == "http://***@host/a")
    #expect(Input.name("a:b@c://d") == "a:b@c://d")
    #expect(Input.name("data:" + String(repeating: "A", count: 300)).count < 80)
  }
}
