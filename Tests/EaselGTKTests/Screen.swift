import CEaselGTK
import CEaselGTKFixtures
import EaselSupport
import EaselTestSupport
import Foundation
import Testing

@testable import EaselGTK

/// Screens without a device, and GTK on a thread of its own, for all tests of this process.
enum Screen {
  /// The kinds of screens that GTK can draw on.
  enum Kind: CaseIterable {
    case x11
    /// It has two pixels to a unit of the toolkit.
    case wayland
  }

  /// The reason that tests are skipped for where it is missing.
  static let isMissing: Comment = "There is no Xvfb or no GTK 4: install the packages xvfb and libgtk-4-1."
  /// The same for the screen of Wayland.
  static let isWaylandMissing: Comment = "There is no Weston: install the package weston."

  /// True once GTK runs.
  static let isReady: Bool = {
    let program = "/usr/bin/Xvfb"
    guard FileManager.default.isExecutableFile(atPath: program), easel_gtk_load() == nil,
      let display = start(program)
    else { return false }
    // The tests of accessibility ask the objects that GTK makes for that, and no bus.
    let environment = [
      "DISPLAY": ":\(display)", "GDK_BACKEND": "x11,wayland", "GSK_RENDERER": "cairo", "GTK_A11Y": "test",
      "GSETTINGS_BACKEND": "memory", "GTK_THEME": "Adwaita",
    ]
    for (name, value) in environment { setenv(name, value, 1) }
    unsetenv("WAYLAND_DISPLAY")
    let begun = Semaphore()
    let failure = Locked<String?>("GTK has not begun.")
    PlainThread.start {
      do {
        try GTKActor.run {
          failure.withLock { $0 = nil }
          begun.signal()
        }
      } catch {
        print("Tests of the widget are skipped: \(error)")
        begun.signal()
      }
    }
    begun.wait()
    return failure.withLock { $0 } == nil
  }()

  /// True where there is a screen of Wayland, too.
  static var isWaylandReady: Bool { isReady && FileManager.default.isExecutableFile(atPath: WaylandScreen.program) }

  /// The display of a kind; nil for the default one.
  @GTKActor static func display(_ kind: Kind) throws -> OpaquePointer? {
    guard kind == .wayland else { return nil }
    return try WaylandScreen.display.get()
  }

  /// Starts the server, which ends with its last client, and returns the number of the display that it chose.
  private static func start(_ program: String) -> Int? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-terminate"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    var text = ""
    while !text.hasSuffix("\n") {
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { return nil }
      text += String(decoding: bytes, as: UTF8.self)
    }
    return Int(text.dropLast())
  }
}
