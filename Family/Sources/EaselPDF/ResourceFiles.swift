/// The files that poppler opens while it draws: how they are made ready for a process that can open none.
package struct ResourceFiles: Sendable {
  let keepFile: @Sendable @convention(c) (UnsafePointer<CChar>?) -> Bool
  let keepDirectory: @Sendable @convention(c) (UnsafePointer<CChar>?) -> Void

  package init(
    file: @escaping @Sendable @convention(c) (UnsafePointer<CChar>?) -> Bool,
    directory: @escaping @Sendable @convention(c) (UnsafePointer<CChar>?) -> Void
  ) {
    (keepFile, keepDirectory) = (file, directory)
  }

  /// Leaves the files where they are, for a process that may open them.
  package static let open = ResourceFiles { _ in
    true
  } directory: { _ in
  }
}
