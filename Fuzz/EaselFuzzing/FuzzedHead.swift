import EaselListener

/// Drives the reader of heads with bytes that may be anything: at once, in two pieces, head after head.
public struct FuzzedHead: Sendable {
  /// Creates the driver.
  public init() {}

  /// Tries one input; its last byte chooses where it is cut.
  public func run(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.last else { return }
    var rest = UnsafeRawBufferPointer(rebasing: input.dropLast())
    var limits = HeadLimits()
    if choice & 1 != 0 { limits = Self.narrow }
    while true {
      var reader = HeadReader()
      let whole = reader.read(rest, limits)
      let cut = rest.count * Int(choice) / 256
      precondition(inPieces(rest, cut, limits) == whole, "In pieces it is another head.")
      guard case .head(let head, let length) = whole else {
        if case .incomplete = whole { precondition(rest.count < limits.headBytes, "The limit is overlooked.") }
        return
      }
      check(head, length, rest, limits)
      rest = UnsafeRawBufferPointer(rebasing: rest[length...])
    }
  }

  private func inPieces(_ bytes: UnsafeRawBufferPointer, _ cut: Int, _ limits: HeadLimits) -> HeadReader.Result {
    var reader = HeadReader()
    let first = reader.read(UnsafeRawBufferPointer(rebasing: bytes[..<cut]), limits)
    return first == .incomplete ? reader.read(bytes, limits) : first
  }

  private func check(_ head: RequestHead, _ length: Int, _ bytes: UnsafeRawBufferPointer, _ limits: HeadLimits) {
    precondition(length > 0 && length <= min(bytes.count, limits.headBytes), "The head is too large.")
    precondition(bytes[..<length].suffix(4).elementsEqual("\r\n\r\n".utf8), "The head has another end.")
    precondition(head.target.utf8.count <= limits.targetBytes, "The target is too long.")
    precondition(limits.methods.contains(head.method), "The method is not allowed.")
    precondition(head.target.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "The target has spaces or control bytes.")
    precondition(head.headers.fields.count <= limits.fields, "There are too many fields.")
    for field in head.headers.fields {
      precondition(!field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A })
      precondition(field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
    }
    precondition(head.headers["Transfer-Encoding"] == nil, "A transfer coding is overlooked.")
    precondition(head.headers.values(of: "Host").count == 1 || !head.isCurrentVersion, "A host is overlooked.")
    let lengths = head.headers.values(of: "Content-Length")
    precondition(lengths.count <= 1 && lengths.allSatisfy { Int($0) == 0 }, "A body is overlooked.")
  }

  private static let narrow = {
    var limits = HeadLimits()
    limits.headBytes = 200
    limits.targetBytes = 20
    limits.fields = 3
    return limits
  }()
}

/// Tries one input on the reader of heads, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_head")
public func fuzzHead(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedHead().run(UnsafeRawBufferPointer(start: start, count: count))
}
