extension StringProtocol {
  /// The text before its first question mark, or all of it.
  ///
  /// It looks at bytes: characters would take more time than all else of finding a picture in memory.
  var withoutQuery: SubSequence { utf8.firstIndex(of: UInt8(ascii: "?")).map { self[..<$0] } ?? self[...] }
}
