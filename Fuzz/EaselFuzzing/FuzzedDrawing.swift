import EaselService

/// Drives the cleaner of drawings, and the reader of XML under it, with bytes that may be anything.
public struct FuzzedDrawing: Sendable {
  /// Creates the driver.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    guard let cleaned = SVGCleaner.cleaned([UInt8](input)) else { return }
    guard let again = SVGCleaner.cleaned(cleaned) else {
      // Only the names of spaces that the cleaner writes itself may be more attributes than the reader takes.
      precondition(input.count > 800, "What was cleaned is no drawing any more.")
      return
    }
    precondition(again == cleaned, "Cleaning again leaves something else.")
    var reader = XMLReader(cleaned)
    do throws(XMLReader.Malformed) {
      while let token = try reader.next() { check(token) }
    } catch {
      preconditionFailure("What was cleaned is damaged at byte \(error.offset).")
    }
  }

  private static let scripts: Set = ["script", "foreignobject", "iframe", "handler", "listener", "a", "audio", "video"]

  private func check(_ token: XMLReader.Token) {
    guard case .start(let name, let attributes, _) = token else { return }
    precondition(!Self.scripts.contains(name.lowercased()), "A script or a page is left in.")
    for (name, value) in attributes.map({ ($0.name.lowercased(), $0.value) }) {
      precondition(!name.hasPrefix("on"), "A script of an event is left in.")
      guard name == "href" || name.hasSuffix(":href") else { continue }
      precondition(value.hasPrefix("#") || value.hasPrefix("data:image/"), "A link leads elsewhere.")
      precondition(!value.lowercased().hasPrefix("data:image/svg"), "A drawing within the drawing is not cleaned.")
    }
  }
}

/// Tries one input on the cleaner of drawings, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_drawing")
public func fuzzDrawing(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedDrawing().run(UnsafeRawBufferPointer(start: start, count: count))
}
