import EaselCore
import Glibc

/// Tells how much memory this process may use.
public enum MemoryBudget {
  /// The memory of the machine, or less when a control group limits the process.
  public static var available: Int { min(physical, ControlGroupMemory()?.limitBytes ?? .max) }

  /// The default cost limit of a store: a quarter of the available memory.
  public static var defaultCostLimit: Int { available / 4 }

  private static var physical: Int {
    let bytes = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    return bytes > 0 ? bytes : 1 << 30
  }
}
