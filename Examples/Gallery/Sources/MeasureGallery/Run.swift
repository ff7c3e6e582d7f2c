import CGTK
import EaselGTK
import Foundation
import PictureGallery

/// One measurement of a window with a grid.
@GTKActor
final class Run {
  struct Result {
    var firstScreen = 0.0
    /// The part of it in which the main thread worked.
    var firstScreenWork = 0.0
    /// The processor time that the main thread took for each frame, in milliseconds.
    var frames: [Double] = []
    var reachedEnd = false
    var megabytes = 0.0
    var peakMegabytes = 0.0

    var text: String {
      let sorted = frames.sorted()
      func part(_ share: Double) -> Double {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
      }
      let over = frames.count { $0 > 16.7 }
      return String(
        format: """
          {"firstScreenMs": %.1f, "ofItWorkMs": %.1f, "frames": %d, "medianMs": %.2f, "p95Ms": %.2f, "p99Ms": %.2f, "worstMs": %.2f, \
          "over16.7": %d, "reachedEnd": %@, "residentMB": %.0f, "peakMB": %.0f}
          """, firstScreen, firstScreenWork, frames.count, part(0.5), part(0.95), part(0.99), sorted.last ?? 0, over,
        reachedEnd ? "true" : "false", megabytes, peakMegabytes)
    }
  }

  private let window: Object
  private let adjustment: UnsafeMutablePointer<GtkAdjustment>
  private let isComplete: @GTKActor () -> Bool
  private var mapped = 0.0

  init(_ window: Object, _ scroller: Object, isComplete: @escaping @GTKActor () -> Bool) {
    self.window = window
    adjustment = gtk_scrolled_window_get_vadjustment(scroller)
    self.isComplete = isComplete
  }

  /// Opens the window, waits for its first screen, and scrolls to the end in so many frames.
  ///
  /// A grid that has not come to its end after `seconds` is not scrolled further.
  func measure(_ count: Int, _ seconds: Double) async -> Result {
    var result = Result()
    gtk_window_present(UnsafeMutablePointer(window))
    while gtk_widget_get_mapped(UnsafeMutablePointer(window)) == 0 { await Task.yield() }
    mapped = Self.now
    let work = Self.mainThreadTime
    repeat { await frame() } while !isComplete()
    // It is on the screen when the frame that draws it is over.
    await frame()
    result.firstScreen = (Self.now - mapped) * 1000
    result.firstScreenWork = (Self.mainThreadTime - work) * 1000
    let begun = Self.now
    var last = Self.mainThreadTime
    for step in 1...count {
      let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
      gtk_adjustment_set_value(adjustment, end * Double(step) / Double(count))
      await frame()
      let time = Self.mainThreadTime
      result.frames.append((time - last) * 1000)
      last = time
      if Self.now - begun > seconds { break }
    }
    result.reachedEnd = result.frames.count == count
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func megabytes(_ name: String) -> Double {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
      return line.flatMap { $0.split(separator: " ").dropLast().last.flatMap { Double($0) } }.map { $0 / 1024 } ?? 0
    }
    result.peakMegabytes = megabytes("VmHWM")
    while !isComplete() && result.reachedEnd { await frame() }
    result.megabytes = megabytes("VmRSS")
    return result
  }

  private func frame() async { await nextFrame(of: window) }

  private static var now: Double { time(CLOCK_MONOTONIC) }
  /// GTK's thread is the one that this runs on.
  private static var mainThreadTime: Double { time(CLOCK_THREAD_CPUTIME_ID) }

  private static func time(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
