import CEaselGTKFixtures
import EaselGTK
import Foundation

/// A compositor of Wayland without a device, beside the X server.
@GTKActor
enum WaylandScreen {
  nonisolated static let program = "/usr/bin/weston"

  /// The display of GTK on it, which is opened once.
  static let display = Result { try open() }

  private struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  // The compositor lives as long as its standard input is open, which ends with the process of the tests.
  private static let input = Pipe()
  private static let output = Pipe()

  private static func open() throws -> OpaquePointer {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("easel-wayland-\(getpid())")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    setenv("XDG_RUNTIME_DIR", folder.path, 1)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "\"$@\" 2>&1 & read -r nothing; kill $!; wait; rm -r \"$XDG_RUNTIME_DIR\"", "weston", program,
      "--backend=headless-backend.so", "--socket=easel", "--width=1024", "--height=768", "--scale=2", "--no-config",
      "--idle-time=0",
    ]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // It starts its shell once its socket is there.
    var text = ""
    while !text.contains("weston-desktop-shell") {
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { throw Missing(description: "Weston has ended: \(text)") }
      text += String(decoding: bytes, as: UTF8.self)
    }
    guard let display = fixture_display("easel") else { throw Missing(description: "GTK finds no display: \(text)") }
    return OpaquePointer(display)
  }
}
